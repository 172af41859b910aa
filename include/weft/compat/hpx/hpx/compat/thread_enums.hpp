// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hints for HPX's policies and threads.
#pragma once

#include <cstdint>

#include "weft/tasks/launch.hpp"

namespace hpx::threads {

// NOLINTBEGIN(readability-identifier-naming): the names are HPX's
enum class thread_priority : signed char {
  unknown = -1,
  default_,
  low,
  normal,
  high_recursive,
  boost,
  high,
  bound
};
enum class thread_stacksize : signed char {
  unknown = -1,
  small_ = 1,
  medium,
  large,
  huge,
  nostack,
  current,
  default_ = small_,
  minimal = small_,
  maximal = huge
};
// NOLINTEND(readability-identifier-naming)
enum class thread_schedule_state : signed char { unknown, active, pending, suspended, terminated };
enum class thread_schedule_hint_mode : unsigned char { none, thread, numa };
enum class thread_placement_hint : unsigned char { none, depth_first, breadth_first };
enum class thread_sharing_hint : unsigned char {
  none,
  do_not_share_function,
  do_not_combine_tasks
};
enum class thread_execution_hint : unsigned char { none, run_as_child };

/// The place where a program would like a task to run. weft ignores it: any worker may run a task.
/// A task that has not started runs on the stack of the task that waits for it.
struct thread_schedule_hint {
  constexpr thread_schedule_hint() noexcept = default;
  constexpr explicit thread_schedule_hint(std::int16_t worker) noexcept
      : hint(worker), mode(thread_schedule_hint_mode::thread) {}
  constexpr thread_schedule_hint(thread_schedule_hint_mode kind, std::int16_t index) noexcept
      : hint(index), mode(kind) {}

  [[nodiscard]] constexpr thread_placement_hint placement_mode() const noexcept {
    return static_cast<thread_placement_hint>(placement_);
  }
  constexpr void placement_mode(thread_placement_hint wish) noexcept {
    placement_ = static_cast<std::uint8_t>(wish) & 3U;
  }
  [[nodiscard]] constexpr thread_sharing_hint sharing_mode() const noexcept {
    return static_cast<thread_sharing_hint>(sharing_);
  }
  constexpr void sharing_mode(thread_sharing_hint wish) noexcept {
    sharing_ = static_cast<std::uint8_t>(wish) & 3U;
  }
  [[nodiscard]] constexpr thread_execution_hint runs_as_child_mode() const noexcept {
    return static_cast<thread_execution_hint>(as_child_);
  }
  constexpr void runs_as_child_mode(thread_execution_hint wish) noexcept {
    as_child_ = static_cast<std::uint8_t>(wish) & 1U;
  }

  friend constexpr bool operator==(const thread_schedule_hint&,
                                   const thread_schedule_hint&) noexcept = default;

  std::int16_t hint = -1;
  thread_schedule_hint_mode mode = thread_schedule_hint_mode::none;

 private:
  std::uint8_t placement_ : 2 = 0;
  std::uint8_t sharing_ : 2 = 0;
  std::uint8_t as_child_ : 1 = 0;
};

/// Weft has three: all above normal are its high one, those bound to a worker may run on another.
[[nodiscard]] constexpr weft::task_priority weft_priority(thread_priority priority) noexcept {
  switch (priority) {
    case thread_priority::high_recursive:
    case thread_priority::boost:
    case thread_priority::high:
    case thread_priority::bound:
      return weft::task_priority::high;
    case thread_priority::low:
      return weft::task_priority::low;
    default:
      return weft::task_priority::normal;
  }
}

}  // namespace hpx::threads
