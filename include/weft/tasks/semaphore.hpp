// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Semaphores whose waiters are suspended: the worker runs other tasks.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <source_location>

#include "weft/base/assert.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"
#include "weft/tasks/detail/waiting/wait_queue.hpp"

namespace weft {
namespace tasks::detail {

/// What counting_semaphore is for every maximum.
///
/// The word holds twice the count, plus one while a task waits. Then every change takes the lock,
/// and releases go to the waiters in order of arrival.
class semaphore_base {
 public:
  constexpr explicit semaphore_base(std::ptrdiff_t count) noexcept : word_(2 * count) {}
  semaphore_base(const semaphore_base&) = delete;
  semaphore_base& operator=(const semaphore_base&) = delete;
  ~semaphore_base() = default;

  void acquire(const std::source_location& where) {
    if (!try_acquire()) {
      acquire_slowly(nullptr, where);
    }
  }

  bool try_acquire() noexcept {
    std::ptrdiff_t word = word_.load(std::memory_order_relaxed);
    while (word > 1 && (word & has_waiters) == 0) {
      // acquire: pairs with the release in release()
      if (word_.compare_exchange_weak(
              word, word - 2, std::memory_order_acquire, std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  bool try_acquire_before(time_point deadline, const std::source_location& where) {
    return try_acquire() || acquire_slowly(&deadline, where);
  }

  void release(std::ptrdiff_t num_more, std::ptrdiff_t maximum) {
    std::ptrdiff_t word = word_.load(std::memory_order_relaxed);
    do {
      if ((word & has_waiters) != 0) {
        release_slowly(num_more);
        return;
      }
      WEFT_ASSERT(num_more >= 0 && num_more <= maximum - word / 2,
                  "a semaphore was released beyond its maximum; acquire it as often as it is "
                  "released, or give it a larger maximum");
      // release: pairs with the acquire in try_acquire()
    } while (!word_.compare_exchange_weak(
        word, word + 2 * num_more, std::memory_order_release, std::memory_order_relaxed));
  }

 private:
  static constexpr std::ptrdiff_t has_waiters = 1;

  bool acquire_slowly(const time_point* deadline, const std::source_location& where);
  bool enlist(waiter& node) noexcept;
  void withdraw(waiter& node) noexcept;
  void release_slowly(std::ptrdiff_t num_more) noexcept;
  void unmark_if_empty() noexcept;

  std::atomic<std::ptrdiff_t> word_;
  spin_lock guard_;
  wait_queue queue_;
};

}  // namespace tasks::detail

/// A semaphore for tasks and OS threads alike, with the members and the meaning of
/// std::counting_semaphore.
///
/// Waiters get what is released in the order they came.
/// Cost:    one locked instruction per call while no task waits. No allocation.
/// Threads: it may be destroyed as soon as no task waits, also by the task that acquired it.
/// Errors:  releasing beyond `maximum` is reported in debug builds; `weft::error` if no address
///          space is left for a stack, and nothing is acquired.
/// Example: tests/tasks/semaphore_test.cpp: at_most_count_are_inside.
template <std::ptrdiff_t maximum = std::numeric_limits<std::ptrdiff_t>::max() / 4>
class counting_semaphore {
  static_assert(maximum >= 0 && maximum <= std::numeric_limits<std::ptrdiff_t>::max() / 4);

 public:
  constexpr explicit counting_semaphore(std::ptrdiff_t count) : base_(count) {
    WEFT_ASSERT(count >= 0 && count <= maximum,
                "a semaphore's initial count lies outside 0 and its maximum");
  }

  static constexpr std::ptrdiff_t max() noexcept { return maximum; }

  void acquire(const std::source_location& where = std::source_location::current()) {
    base_.acquire(where);
  }
  /// False: nothing was left, or others wait for it.
  [[nodiscard]] bool try_acquire() noexcept { return base_.try_acquire(); }

  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(
      const std::chrono::duration<Rep, Period>& duration,
      const std::source_location& where = std::source_location::current()) {
    return base_.try_acquire_before(tasks::detail::deadline_after(duration), where);
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(
      const std::chrono::time_point<Clock, Duration>& limit,
      const std::source_location& where = std::source_location::current()) {
    return base_.try_acquire_before(tasks::detail::deadline_at(limit), where);
  }

  void release(std::ptrdiff_t num_more = 1) { base_.release(num_more, maximum); }

 private:
  tasks::detail::semaphore_base base_;
};

/// A semaphore with at most one permit.
using binary_semaphore = counting_semaphore<1>;

/// Keeps leading tasks within a distance of following ones: `wait(upper)` waits while
/// `upper - max_difference` is above the highest `lower` that was signalled.
///
/// For time steps in a pipeline: the producer waits with the step that it starts, the consumer
/// signals the step that it ended.
/// Threads: every member from tasks and OS threads alike.
/// Example: tests/tasks/semaphore_test.cpp: steps_stay_within_the_distance.
class sliding_semaphore {
 public:
  explicit sliding_semaphore(std::int64_t max_difference, std::int64_t lower_limit = 0) noexcept
      : max_difference_(max_difference), lower_(lower_limit) {}
  sliding_semaphore(const sliding_semaphore&) = delete;
  sliding_semaphore& operator=(const sliding_semaphore&) = delete;
  ~sliding_semaphore() = default;

  void wait(std::int64_t upper,
            const std::source_location& where = std::source_location::current());
  [[nodiscard]] bool try_wait(std::int64_t upper = 1) noexcept;

  /// Releases all waiters within the distance above `lower`. A lower value than before changes
  /// nothing.
  void signal(std::int64_t lower) noexcept;
  /// Releases all present waiters, and returns the lower limit.
  std::int64_t signal_all() noexcept;

  /// Changes the distance, and the lower limit to whatever is given.
  void set_max_difference(std::int64_t max_difference, std::int64_t lower_limit = 0) noexcept;

 private:
  [[nodiscard]] bool may_pass(std::int64_t upper) const noexcept {
    return upper - max_difference_ <= lower_;
  }
  tasks::detail::wait_queue take_waiters_within_limit() noexcept;

  tasks::detail::spin_lock guard_;
  std::int64_t max_difference_;
  std::int64_t lower_;
  tasks::detail::wait_queue queue_;
};

}  // namespace weft
