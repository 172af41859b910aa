// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter that opens a gate for good when it reaches zero.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <source_location>

#include "weft/base/assert.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft {

/// A latch for tasks and OS threads alike, with the members and the meaning of std::latch.
///
/// Cost:    `count_down` is one locked instruction, the last one resumes all waiters. No
///          allocation.
/// Threads: may be destroyed as soon as one waiter has returned: `count_down` no longer touches it.
/// Errors:  counting below zero is reported in debug builds; `weft::error` if no stack is left for
///          the worker; then the call has not arrived.
/// Example: tests/tasks/latch_test.cpp: opens_when_all_have_arrived.
class latch {
 public:
  constexpr explicit latch(std::ptrdiff_t count) : count_(count), gate_(count == 0 ? open : 0) {
    WEFT_ASSERT(count >= 0, "a latch cannot count down from less than zero");
  }
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;
  ~latch() = default;

  static constexpr std::ptrdiff_t max() noexcept {
    return std::numeric_limits<std::ptrdiff_t>::max();
  }

  void count_down(std::ptrdiff_t num_arrived = 1) {
    // acq_rel: who opens the gate has seen what all others did before they arrived
    const std::ptrdiff_t before = count_.fetch_sub(num_arrived, std::memory_order_acq_rel);
    if (before == num_arrived && num_arrived != 0) {
      open_gate();
      return;
    }
    WEFT_ASSERT(num_arrived >= 0 && before >= num_arrived,
                "a latch was counted down below zero; give it the number of all arrivals");
  }

  [[nodiscard]] bool try_wait() const noexcept {
    // acquire: pairs with the exchange in open_gate()
    return gate_.load(std::memory_order_acquire) == open;
  }

  void wait(const std::source_location& where = std::source_location::current()) const {
    if (!try_wait()) {
      wait_slowly(where);
    }
  }

  void arrive_and_wait(std::ptrdiff_t num_arrived = 1,
                       const std::source_location& where = std::source_location::current()) {
    tasks::detail::require_way_to_wait();
    count_down(num_arrived);
    wait(where);
  }

 private:
  static constexpr std::uintptr_t open = 1;

  void open_gate() noexcept;
  void wait_slowly(const std::source_location& where) const;

  std::atomic<std::ptrdiff_t> count_;
  mutable std::atomic<std::uintptr_t> gate_;  // open, or the address of who came to wait last
};

}  // namespace weft
