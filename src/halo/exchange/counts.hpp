// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Totals of all exchanges of this process, as counters /halo/*.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::halo::detail {

/// Sums since the process began. Units: as their counters say.
struct process_counts {
  std::atomic<std::int64_t> num_exchanges = 0;
  std::atomic<std::int64_t> num_plans = 0;
  std::atomic<std::int64_t> num_messages = 0;
  std::atomic<std::int64_t> message_bytes = 0;
  std::atomic<std::int64_t> memory_bytes = 0;
  std::atomic<std::int64_t> local_bytes = 0;
  std::atomic<std::int64_t> num_executor_throws = 0;
};

/// Returns the totals of this process; the first call registers their counters.
[[nodiscard]] process_counts& counts();

/// Only one thread at a time exchanges with one plan, but several plans may run at the same time.
inline void add(std::atomic<std::int64_t>& to, std::int64_t more) noexcept {
  to.fetch_add(more, std::memory_order_relaxed);  // relaxed: readers need only the number
}

}  // namespace weft::halo::detail
