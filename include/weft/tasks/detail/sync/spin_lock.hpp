// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock for sections of a few dozen instructions that never suspend.
#pragma once

#include <atomic>

#include <sched.h>

#include "weft/base/abi.hpp"  // IWYU pragma: keep
#include "weft/tasks/detail/scheduler/disturb.hpp"

namespace weft::tasks::detail {

/// Tells the processor that this is a spin loop.
inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Test-and-set with a bounded spin, then sched_yield, because the holder may have lost its CPU.
class spin_lock {
 public:
  void lock() noexcept {
    int spins = 0;
    while (!try_lock()) {
      while (is_locked_.load(std::memory_order_relaxed)) {
        if (++spins % spins_before_yield == 0) {
          sched_yield();
        } else {
          spin_pause();
        }
      }
    }
  }
  // acquire: pairs with the release in unlock()
  bool try_lock() noexcept { return !is_locked_.exchange(true, std::memory_order_acquire); }
  void unlock() noexcept {
    show_stores();
    is_locked_.store(false, std::memory_order_release);
  }

 private:
  static constexpr int spins_before_yield = 128;
  std::atomic<bool> is_locked_{false};
};

}  // namespace weft::tasks::detail
