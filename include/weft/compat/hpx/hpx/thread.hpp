// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads, which are tasks.
#pragma once

#include <cstddef>
#include <functional>
#include <ostream>

#include <hpx/config.hpp>
#include <hpx/stop_token.hpp>

#include "weft/tasks/launch.hpp"
#include "weft/tasks/this_task.hpp"
#include "weft/tasks/thread.hpp"

namespace weft {

/// HPX's thread ids can be written; here, so that weft's are found.
inline std::ostream& operator<<(std::ostream& out, const task_id& id) {
  return out << std::hash<task_id>()(id);
}

}  // namespace weft

namespace hpx {

using weft::jthread;
using weft::thread;

namespace this_thread {
using weft::this_task::get_id;
using weft::this_task::sleep_for;
using weft::this_task::sleep_until;
using weft::this_task::yield;

template <class... Args>
void suspend(const Args&...) {
  static_assert(compat::is_missing<Args...>,
                "hpx::this_thread::suspend: weft has no suspension by hand; wait for a future, an "
                "event or a time (hpx::this_thread::sleep_for)");
}
template <class T = void>
[[nodiscard]] int get_priority() {
  static_assert(compat::is_missing<T>,
                "hpx::this_thread::get_priority: weft's tasks begin by priority and do not know it "
                "afterwards");
  return 0;
}
template <class T = void>
[[nodiscard]] std::ptrdiff_t get_stack_size() {
  static_assert(compat::is_missing<T>,
                "hpx::this_thread::get_stack_size: weft's stacks have one size, that of "
                "--weft:stack-size");
  return 0;
}
}  // namespace this_thread

namespace threads {

// NOLINTBEGIN(readability-identifier-naming): the names are HPX's
enum class thread_priority : signed char { unknown = -1, default_, low, normal, high, bound };
enum class thread_stacksize : signed char {
  unknown = -1,
  small_ = 1,
  medium,
  large,
  huge,
  nostack
};
// NOLINTEND(readability-identifier-naming)
enum class thread_schedule_state : signed char { unknown, active, pending, suspended, terminated };
enum class thread_schedule_hint_mode : unsigned char { none, thread, numa };
using thread_id_type = weft::task_id;

namespace policies {
// NOLINTNEXTLINE(performance-enum-size): as wide as HPX's
enum class scheduler_mode : unsigned {
  default_mode = 0,
  fast_idle_mode = 1,
  enable_idle_backoff = 2
};
}  // namespace policies

template <class T = void>
[[nodiscard]] thread_id_type get_self_id() {
  static_assert(compat::is_missing<T>,
                "hpx::threads::get_self_id: nobody can wake weft's tasks by their id; "
                "hpx::this_thread::get_id names them");
  return {};
}
template <class T = void>
[[nodiscard]] int get_self() {
  static_assert(compat::is_missing<T>,
                "hpx::threads::get_self: weft has no suspension by hand; wait for a future, an "
                "event or a time (hpx::this_thread::sleep_for)");
  return 0;
}
template <class... Args>
[[nodiscard]] const char* get_stack_size_name(const Args&...) {
  static_assert(compat::is_missing<Args...>,
                "hpx::threads::get_stack_size_name: weft's stacks have one size, that of "
                "--weft:stack-size");
  return "";
}
[[nodiscard]] inline const char* get_thread_priority_name(thread_priority priority) noexcept {
  switch (priority) {
    case thread_priority::default_:
      return "default";
    case thread_priority::low:
      return "low";
    case thread_priority::normal:
      return "normal";
    case thread_priority::high:
      return "high";
    case thread_priority::bound:
      return "bound";
    case thread_priority::unknown:
      break;
  }
  return "unknown";
}
/// Weft has three: those bound to a worker are of high priority, and may run on another one.
[[nodiscard]] constexpr weft::task_priority weft_priority(thread_priority priority) noexcept {
  switch (priority) {
    case thread_priority::high:
    case thread_priority::bound:
      return weft::task_priority::high;
    case thread_priority::low:
      return weft::task_priority::low;
    default:
      return weft::task_priority::normal;
  }
}

/// Weft's workers have one way to be idle; the wish is heard, and changes nothing.
inline void add_scheduler_mode(policies::scheduler_mode /*wish*/) noexcept {}
inline void remove_scheduler_mode(policies::scheduler_mode /*wish*/) noexcept {}

template <class... Args>
bool enumerate_threads(const Args&...) {
  static_assert(compat::is_missing<Args...>,
                "hpx::threads::enumerate_threads: weft does not list its tasks; `weft top` shows "
                "what workers do, and a deadlock is reported with all that wait");
  return false;
}
template <class... Args>
void set_thread_state(const Args&...) {
  static_assert(compat::is_missing<Args...>,
                "hpx::threads::set_thread_state: weft's tasks are woken by what they wait for, for "
                "example a promise or an event");
}

}  // namespace threads
}  // namespace hpx
