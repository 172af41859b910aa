// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A flag to wait for.
#pragma once

#include <chrono>
#include <source_location>

#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"
#include "weft/tasks/detail/waiting/wait_queue.hpp"

namespace weft {

/// An event that releases all waiters when it is set, until it is reset.
///
/// Cost:    a locked instruction per call; no allocation.
/// Threads: every member from tasks and OS threads alike. A waiter that has returned may destroy
///          it.
/// Errors:  `weft::error` if no address space is left for a stack.
/// Example: tests/tasks/event_test.cpp: lets_all_pass_once_it_occurred.
class event {
 public:
  constexpr event() noexcept = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() = default;

  [[nodiscard]] bool occurred() const noexcept;
  void set() noexcept;
  void reset() noexcept;

  void wait(const std::source_location& where = std::source_location::current()) {
    wait_before(nullptr, where);
  }
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& duration,
                              const std::source_location& where = std::source_location::current()) {
    const auto deadline = tasks::detail::deadline_after(duration);
    return wait_before(&deadline, where);
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(
      const std::chrono::time_point<Clock, Duration>& limit,
      const std::source_location& where = std::source_location::current()) {
    const auto deadline = tasks::detail::deadline_at(limit);
    return wait_before(&deadline, where);
  }

 private:
  bool wait_before(const tasks::detail::time_point* deadline, const std::source_location& where);
  bool enlist(tasks::detail::waiter& node) noexcept;

  mutable tasks::detail::spin_lock guard_;
  bool has_occurred_ = false;
  tasks::detail::wait_queue queue_;
};

}  // namespace weft
