// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Semaphores that suspend tasks.
#pragma once

#include <cstddef>
#include <mutex>

#include <hpx/config.hpp>

#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/semaphore.hpp"

namespace hpx {

using weft::counting_semaphore;
using weft::sliding_semaphore;

/// A semaphore that begins with one; HPX's may be released beyond that.
class binary_semaphore : public weft::counting_semaphore<> {
 public:
  explicit binary_semaphore(std::ptrdiff_t count = 1) : counting_semaphore(count) {}
};

/// A counting semaphore that is signalled, and waited for, several counts at a time.
template <class Mutex = void, int unused = 0>
class counting_semaphore_var {
 public:
  explicit counting_semaphore_var(std::ptrdiff_t count = 0) : count_(count) {}

  void signal(std::ptrdiff_t count = 1) {
    const std::scoped_lock guard(mutex_);
    count_ += count;
    changed_.notify_all();
  }
  /// Takes all at once: a waiter for two holds none meanwhile.
  void wait(std::ptrdiff_t count = 1) {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return count_ >= count; });
    count_ -= count;
  }
  [[nodiscard]] bool try_wait(std::ptrdiff_t count = 1) {
    const std::scoped_lock guard(mutex_);
    if (count_ < count) {
      return false;
    }
    count_ -= count;
    return true;
  }
  void release(std::ptrdiff_t count = 1) { signal(count); }
  void acquire() { wait(); }
  [[nodiscard]] bool try_acquire() { return try_wait(); }

 private:
  weft::mutex mutex_;
  weft::condition_variable changed_;
  std::ptrdiff_t count_;
};

namespace lcos::local {
using counting_semaphore = hpx::counting_semaphore_var<>;
using hpx::sliding_semaphore;
}  // namespace lcos::local

}  // namespace hpx
