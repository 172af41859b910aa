// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Latches that suspend tasks.
#pragma once

#include <cstddef>
#include <mutex>

#include <hpx/config.hpp>

#include "weft/base/assert.hpp"
#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/latch.hpp"
#include "weft/tasks/mutex.hpp"

namespace hpx {

using weft::latch;

namespace lcos::local {

/// A latch that can also be counted up, and set again.
///
/// Threads: any; call `reset` while no task waits.
class latch {
 public:
  explicit latch(std::ptrdiff_t count) : count_(count) {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;
  ~latch() = default;

  void count_down(std::ptrdiff_t num_arrived = 1) {
    const std::scoped_lock guard(mutex_);
    arrive(num_arrived);
  }
  void count_up(std::ptrdiff_t num_more = 1) {
    const std::scoped_lock guard(mutex_);
    count_ += num_more;
  }
  void reset(std::ptrdiff_t count) {
    const std::scoped_lock guard(mutex_);
    count_ = count;
  }
  /// Counts up; a latch that is open is set to `count` first. True: it was open.
  bool reset_if_needed_and_count_up(std::ptrdiff_t num_more, std::ptrdiff_t count) {
    const std::scoped_lock guard(mutex_);
    const bool was_open = count_ == 0;
    count_ = num_more + (was_open ? count : count_);
    return was_open;
  }
  [[nodiscard]] bool try_wait() const {
    const std::scoped_lock guard(mutex_);
    return count_ == 0;
  }
  [[nodiscard]] bool is_ready() const { return try_wait(); }
  void wait() const {
    std::unique_lock guard(mutex_);
    opened_.wait(guard, [this] { return count_ == 0; });
  }
  void arrive_and_wait(std::ptrdiff_t num_arrived = 1) {
    std::unique_lock guard(mutex_);
    arrive(num_arrived);
    opened_.wait(guard, [this] { return count_ == 0; });
  }
  void count_down_and_wait() { arrive_and_wait(); }

 private:
  void arrive(std::ptrdiff_t num_arrived) {
    WEFT_ASSERT(num_arrived >= 0 && num_arrived <= count_,
                "a latch was counted down below zero; give it the number of all arrivals");
    count_ -= num_arrived;
    if (count_ == 0) {
      opened_.notify_all();
    }
  }

  mutable weft::mutex mutex_;
  mutable weft::condition_variable opened_;
  std::ptrdiff_t count_;
};

}  // namespace lcos::local
}  // namespace hpx
