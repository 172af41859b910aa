// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Semaphores that suspend tasks.
#pragma once

#include <cstddef>

#include <hpx/config.hpp>

#include "weft/tasks/semaphore.hpp"

namespace hpx {

using weft::binary_semaphore;
using weft::counting_semaphore;
using weft::sliding_semaphore;

/// A counting semaphore that is signalled, and waited for, several counts at a time.
template <class Mutex = void, int unused = 0>
class counting_semaphore_var {
 public:
  explicit counting_semaphore_var(std::ptrdiff_t count = 0) : base_(count) {}

  void signal(std::ptrdiff_t count = 1) { base_.release(count); }
  void wait(std::ptrdiff_t count = 1) {
    for (; count > 0; --count) {
      base_.acquire();
    }
  }
  [[nodiscard]] bool try_wait(std::ptrdiff_t count = 1) {
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      if (!base_.try_acquire()) {
        base_.release(i);
        return false;
      }
    }
    return true;
  }
  void release(std::ptrdiff_t count = 1) { base_.release(count); }
  void acquire() { base_.acquire(); }
  [[nodiscard]] bool try_acquire() { return base_.try_acquire(); }

 private:
  weft::counting_semaphore<> base_;
};

namespace lcos::local {
using counting_semaphore = hpx::counting_semaphore_var<>;
using hpx::sliding_semaphore;
}  // namespace lcos::local

}  // namespace hpx
