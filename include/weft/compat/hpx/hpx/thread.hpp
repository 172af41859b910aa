// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads, which are tasks, and their queries and settings.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <ostream>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include <hpx/compat/interruption.hpp>
#include <hpx/compat/thread_enums.hpp>  // IWYU pragma: export
#include <hpx/config.hpp>
#include <hpx/functional.hpp>
#include <hpx/stop_token.hpp>

#include "weft/tasks/annotation.hpp"
#include "weft/tasks/future_interface.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/this_task.hpp"
#include "weft/tasks/thread.hpp"

namespace weft {

/// HPX's thread ids can be written; here, so that weft's are found.
inline std::ostream& operator<<(std::ostream& out, const task_id& id) {
  return out << std::hash<task_id>()(id);
}

}  // namespace weft

namespace hpx {

namespace threads {
using thread_id_type = weft::task_id;
using thread_id = weft::task_id;
using thread_id_ref_type = weft::task_id;
inline constexpr thread_id_type invalid_thread_id{};
}  // namespace threads

/// weft's thread that can also be interrupted: `interrupt` has the next interruption point of the
/// thread end it. Those are `hpx::this_thread::interruption_point`, `yield`, `suspend` and the two
/// sleeps, before they wait; other waits of weft go on until what they wait for has come.
class thread : public weft::thread {
 public:
  using native_handle_type = threads::thread_id_type;

  thread() noexcept = default;
  template <class F, class... Args>
    requires(!std::derived_from<std::remove_cvref_t<F>, weft::thread> &&
             std::invocable<std::decay_t<F>, std::decay_t<Args>...>)
  explicit thread(F&& f, Args&&... args)
      : thread(compat::make_interruption(),
               weft::tasks::bound_call<std::decay_t<F>, std::decay_t<Args>...>(
                   std::forward<F>(f), std::forward<Args>(args)...)) {}

  void swap(thread& other) noexcept {
    weft::thread::swap(other);
    interruption_.swap(other.interruption_);
  }
  friend void swap(thread& one, thread& other) noexcept { one.swap(other); }

  [[nodiscard]] native_handle_type native_handle() const noexcept { return get_id(); }

  /// Errors:  `hpx::exception`: thread_not_interruptable while the thread has disabled it;
  ///          null_thread_id if there is no thread.
  void interrupt(bool is_wanted = true) { compat::request_interruption(interruption_, is_wanted); }
  [[nodiscard]] bool interruption_requested() const {
    return compat::is_interruption_requested(interruption_);
  }
  /// The same for the thread of this id; null_thread_id if no such thread runs.
  static void interrupt(id of, bool is_wanted = true) {
    compat::request_interruption(compat::interruption_of(of), is_wanted);
  }

 private:
  template <class Call>
  thread(compat::interruption_handle interruption, Call&& call)
      : weft::thread([interruption, call = std::forward<Call>(call)]() mutable {
          compat::run_interruptibly(interruption, [&call] { std::move(call)(); });
        }),
        interruption_(std::move(interruption)) {}

  compat::interruption_handle interruption_;
};

class jthread : public weft::jthread {
 public:
  using native_handle_type = threads::thread_id_type;
  using weft::jthread::jthread;

  [[nodiscard]] native_handle_type native_handle() const noexcept { return get_id(); }
  [[nodiscard]] static unsigned hardware_concurrency() {
    return weft::thread::hardware_concurrency();
  }
};

namespace this_thread {

using weft::this_task::get_id;

/// Ends the calling hpx::thread if that was asked for; other tasks cannot be asked.
inline void interruption_point() { compat::interruption_point(); }
[[nodiscard]] inline bool interruption_enabled() { return compat::is_interruption_enabled(); }
[[nodiscard]] inline bool interruption_requested() {
  return compat::is_interruption_requested(compat::own_interruption());
}

/// Until the end of the scope the calling thread cannot be interrupted.
class disable_interruption {
 public:
  disable_interruption() : was_enabled_(compat::enable_interruption(false)) {}
  disable_interruption(const disable_interruption&) = delete;
  disable_interruption& operator=(const disable_interruption&) = delete;
  ~disable_interruption() { compat::enable_interruption(was_enabled_); }

 private:
  friend class restore_interruption;
  bool was_enabled_;
};
/// Undoes a `disable_interruption` until the end of the scope.
class restore_interruption {
 public:
  explicit restore_interruption(disable_interruption& outer)
      : was_enabled_(compat::enable_interruption(outer.was_enabled_)) {}
  restore_interruption(const restore_interruption&) = delete;
  restore_interruption& operator=(const restore_interruption&) = delete;
  ~restore_interruption() { compat::enable_interruption(was_enabled_); }

 private:
  bool was_enabled_;
};

inline void yield(const std::source_location& where = std::source_location::current()) {
  compat::interruption_point();
  weft::this_task::yield(where);
}
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& limit,
                 const std::source_location& where = std::source_location::current()) {
  compat::interruption_point();
  weft::this_task::sleep_until(limit, where);
}
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& duration,
               const std::source_location& where = std::source_location::current()) {
  compat::interruption_point();
  weft::this_task::sleep_for(duration, where);
}

/// Gives way to others; with a time, sleeps.
inline void suspend() { this_thread::yield(); }
template <class Rep, class Period>
void suspend(const std::chrono::duration<Rep, Period>& duration, const char* /*why*/ = "") {
  this_thread::sleep_for(duration);
}
template <class Clock, class Duration>
void suspend(const std::chrono::time_point<Clock, Duration>& limit, const char* /*why*/ = "") {
  this_thread::sleep_until(limit);
}
/// Units: milliseconds.
inline void suspend(std::uint64_t duration_ms, const char* /*why*/ = "") {
  this_thread::sleep_for(std::chrono::milliseconds(duration_ms));
}
template <std::same_as<threads::thread_schedule_state> State, class... Others>
void suspend(State /*next*/, const Others&... /*others*/) {
  static_assert(compat::is_missing<State>,
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
/// Units: bytes; of the stack that the caller runs on, and what is left of it.
[[nodiscard]] std::ptrdiff_t get_stack_size() noexcept;
[[nodiscard]] std::ptrdiff_t get_available_stack_space() noexcept;
[[nodiscard]] inline bool has_sufficient_stack_space(std::size_t needed_bytes = 32768) noexcept {
  return get_available_stack_space() >= static_cast<std::ptrdiff_t>(needed_bytes);
}

}  // namespace this_thread

namespace util {

/// Gives way to others as long as `predicate()`.
template <std::predicate Predicate>
void yield_while(Predicate&& predicate, const char* /*why*/ = nullptr) {
  while (predicate()) {
    this_thread::yield();
  }
}

}  // namespace util

namespace threads {

namespace policies {
// NOLINTNEXTLINE(performance-enum-size): as wide as HPX's
enum class scheduler_mode : unsigned {
  default_mode = 0,
  fast_idle_mode = 1,
  enable_idle_backoff = 2
};
}  // namespace policies

[[nodiscard]] inline thread_id_type get_self_id() noexcept { return weft::this_task::get_id(); }
/// Names a running hpx::thread, or hpx_main; gives the former name.
/// Errors:  `hpx::exception` (null_thread_id) for what is neither.
std::string set_thread_description(thread_id_type of, std::string name);
[[nodiscard]] std::string get_thread_description(thread_id_type of);

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
    case thread_priority::high_recursive:
      return "high (recursive)";
    case thread_priority::boost:
      return "boost";
    case thread_priority::high:
      return "high";
    case thread_priority::bound:
      return "bound";
    case thread_priority::unknown:
      break;
  }
  return "unknown";
}
template <class... Args>
[[nodiscard]] std::int64_t get_thread_count(const Args&...) {
  static_assert(compat::is_missing<Args...>,
                "hpx::threads::get_thread_count: weft does not count its tasks that have begun and "
                "not ended; its counters tell how many ended (/threads/count/cumulative)");
  return 0;
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

/// A function as a task's: `register_work` calls it.
using thread_function_type = hpx::move_only_function<void()>;
template <std::invocable F>
[[nodiscard]] thread_function_type make_thread_function_nullary(F&& f) {
  return [call = std::decay_t<F>(std::forward<F>(f))]() mutable {
    static_cast<void>(std::invoke(std::move(call)));
  };
}

/// The parts of a task: its function, and its name in traces.
struct thread_init_data {
  thread_init_data() noexcept = default;
  explicit thread_init_data(thread_function_type f, std::string name = {})
      : func(std::move(f)), description(std::move(name)) {}

  thread_function_type func;
  std::string description;
};

/// Calls the function as a task without a result; `data` is used up.
inline void register_work(thread_init_data& data) {
  weft::post([call = std::move(data.func), name = std::move(data.description)] {
    const weft::scoped_annotation named(name);
    call();
  });
}

}  // namespace threads
}  // namespace hpx
