// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of a task on itself: yield, sleep, ask for its id.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <source_location>

#include "weft/base/durations.hpp"
#include "weft/tasks/detail/scheduler/identity.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"

namespace weft {

/// Names a task, or an OS thread that is not a worker, among all that run or are suspended now.
///
/// A task that runs nested on a task that waits for it (see `fork_join`) has the id of the waiting
/// task.
class task_id {
 public:
  constexpr task_id() noexcept = default;  // nobody
  constexpr explicit task_id(const void* identity) noexcept : identity_(identity) {}
  friend constexpr bool operator==(task_id, task_id) noexcept = default;
  friend std::strong_ordering operator<=>(task_id one, task_id other) noexcept {
    return std::compare_three_way{}(one.identity_, other.identity_);
  }

 private:
  friend struct std::hash<task_id>;
  const void* identity_ = nullptr;
};

namespace this_task {

/// Lets all others that are ready on this worker and in the runtime's queue go first; returns at
/// once if there are none. An OS thread yields its processor.
///
/// Cost:    a few loads without others, else two switches of stacks.
/// Threads: any. The task may go on as another OS thread.
/// Errors:  `weft::error` when there are others but no stack for the worker to go on with.
/// Example: tests/tasks/this_task_test.cpp: others_go_first.
void yield(const std::source_location& where = std::source_location::current());

/// Returns the id of the calling task.
[[nodiscard]] inline task_id get_id() noexcept {
  return task_id(tasks::detail::current_identity());
}

}  // namespace this_task

namespace tasks::detail {
void sleep_until(time_point limit, const std::source_location& where);
}

namespace this_task {

/// Suspends the calling task; its worker does something else meanwhile.
///
/// Errors:  std::system_error if the timer's thread cannot be started; `weft::error` if no stack is
///          left for the worker.
/// Example: tests/tasks/this_task_test.cpp: sleeping_tasks_do_not_occupy_workers.
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& limit,
                 const std::source_location& where = std::source_location::current()) {
  while (Clock::now() < limit) {
    tasks::detail::sleep_until(tasks::detail::deadline_at(limit), where);
  }
}

/// Suspends the calling task for that time.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& duration,
               const std::source_location& where = std::source_location::current()) {
  sleep_until(tasks::detail::deadline_after(duration), where);
}

}  // namespace this_task
}  // namespace weft

template <>
struct std::hash<weft::task_id> {
  std::size_t operator()(weft::task_id id) const noexcept {
    return std::hash<const void*>{}(id.identity_);
  }
};
