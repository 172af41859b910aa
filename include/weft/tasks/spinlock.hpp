// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock of one byte for sections of a few instructions.
#pragma once

#include <atomic>

#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/this_task.hpp"

namespace weft {

/// A Lockable that spins, then yields the task, so that a holder which is suspended gets its turn.
///
/// Cost:    one locked instruction for `lock`, a store for `unlock`. Unfair: prefer `mutex` for
///          anything that takes longer than a microsecond or waits.
/// Example: tests/tasks/spinlock_test.cpp: excludes_all_others.
class spinlock {
 public:
  constexpr spinlock() noexcept = default;
  spinlock(const spinlock&) = delete;
  spinlock& operator=(const spinlock&) = delete;
  ~spinlock() = default;

  void lock() {
    constexpr int spins_before_yield = 64;
    for (int spins = 1; !try_lock(); ++spins) {
      if (spins % spins_before_yield == 0) {
        this_task::yield();
      } else {
        tasks::detail::spin_pause();
      }
    }
  }
  bool try_lock() noexcept {
    // acquire: pairs with the release in unlock()
    return !is_locked_.load(std::memory_order_relaxed) &&
           !is_locked_.exchange(true, std::memory_order_acquire);
  }
  void unlock() noexcept { is_locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> is_locked_{false};
};

}  // namespace weft
