// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums the counts that parallel algorithms report.
#include "weft/counters/algorithm_counts.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "weft/counters/worker_block.hpp"

namespace weft::counters {
namespace {

void add(std::atomic<std::uint64_t>& sum, std::uint64_t amount) noexcept {
  sum.fetch_add(amount, std::memory_order_relaxed);
}

}  // namespace

void algorithm_counts::count(const algorithm_call& call) noexcept {
  const std::uint64_t num_shares = std::max<std::uint64_t>(call.num_shares, 1);
  add(sums_.num_calls, 1);
  add(sums_.num_elements, call.num_elements);
  add(sums_.num_chunks, call.num_chunks);
  add(sums_.longest_shares_ns, static_cast<std::uint64_t>(call.longest_share.count()));
  add(sums_.mean_shares_ns, static_cast<std::uint64_t>(call.all_shares.count()) / num_shares);
  if (call.num_chunks > 0) {
    using sizes = tick_histogram<std::uint64_t>;
    add(sums_.chunk_sizes.weight[sizes::bucket_of(call.num_elements / call.num_chunks)],
        call.num_chunks);
  }
}

void algorithm_counts::count_alone(std::uint64_t num_elements) noexcept {
  add(sums_.num_calls, 1);
  add(sums_.num_elements, num_elements);
  add(sums_.num_chunks, 1);
  add(sums_.num_alone, 1);
  add(sums_.chunk_sizes.weight[tick_histogram<std::uint64_t>::bucket_of(num_elements)], 1);
}

void algorithm_counts::count_dropped_exception() noexcept { add(sums_.num_dropped_exceptions, 1); }

algorithm_sums<std::uint64_t> algorithm_counts::read() const noexcept {
  using count = std::atomic<std::uint64_t>;
  algorithm_sums<std::uint64_t> now;
  for (std::size_t i = 0; i < algorithm_sum_members<count>.size(); ++i) {
    now.*algorithm_sum_members<std::uint64_t>[i] =
        (sums_.*algorithm_sum_members<count>[i]).load(std::memory_order_relaxed);
  }
  for (std::size_t i = 0; i < now.chunk_sizes.weight.size(); ++i) {
    now.chunk_sizes.weight[i] = sums_.chunk_sizes.weight[i].load(std::memory_order_relaxed);
  }
  return now;
}

algorithm_counts& process_algorithms() {
  static auto* const counts = new algorithm_counts;  // never destroyed: threads may outlive statics
  return *counts;
}

}  // namespace weft::counters
