// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that are tasks: starting one costs no system call, joining one suspends.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/futures/thread_state.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/stop_token.hpp"  // IWYU pragma: export
#include "weft/tasks/this_task.hpp"

namespace weft {

/// A task with the members and the meaning of std::thread.
///
/// It runs on the caller's runtime, or the default one. An exception that leaves its function ends
/// the program, and so does destroying a joinable thread. Prefer `jthread`, or `async`, which
/// passes exceptions on.
/// Cost:    one allocation and a push to start.
/// Errors:  std::bad_alloc; `weft::error` for joining a thread that is not joinable, or oneself.
/// Example: tests/tasks/thread_test.cpp: join_waits_for_the_end.
class thread {
 public:
  using id = task_id;

  thread() noexcept = default;
  template <class F, class... Args>
    requires(!std::same_as<std::remove_cvref_t<F>, thread> &&
             std::invocable<std::decay_t<F>, std::decay_t<Args>...>)
  explicit thread(F&& f, Args&&... args)
      : state_(tasks::detail::start_thread(
            task_priority::normal, std::forward<F>(f), std::forward<Args>(args)...)) {}
  /// The same, begun by its priority.
  template <class F, class... Args>
    requires std::invocable<std::decay_t<F>, std::decay_t<Args>...>
  explicit thread(task_priority priority, F&& f, Args&&... args)
      : state_(tasks::detail::start_thread(
            priority, std::forward<F>(f), std::forward<Args>(args)...)) {}
  thread(thread&&) noexcept = default;
  thread& operator=(thread&& other) noexcept {
    end_program_if_joinable();
    state_ = std::move(other.state_);
    return *this;
  }
  ~thread() { end_program_if_joinable(); }

  [[nodiscard]] bool joinable() const noexcept { return state_ != nullptr; }
  [[nodiscard]] id get_id() const noexcept { return id(state_.get()); }

  /// Waits until the function has returned.
  void join(const std::source_location& where = std::source_location::current()) {
    tasks::detail::join_thread(state_.get(), where);
    state_.reset();
  }
  void detach() {
    tasks::detail::check_joinable(state_.get());
    state_.reset();
  }
  void swap(thread& other) noexcept { state_.swap(other.state_); }
  friend void swap(thread& one, thread& other) noexcept { one.swap(other); }

  /// The number of workers of the default runtime, which this starts.
  [[nodiscard]] static unsigned hardware_concurrency();

 private:
  void end_program_if_joinable() const noexcept;

  tasks::detail::thread_handle state_;
};

/// A thread that is asked to stop, and joined, when it is destroyed; as std::jthread.
///
/// Example: tests/tasks/thread_test.cpp: a_jthread_is_stopped_and_joined.
class jthread {
 public:
  using id = task_id;

  jthread() noexcept : stop_(nostopstate) {}
  template <class F, class... Args>
    requires(!std::same_as<std::remove_cvref_t<F>, jthread> &&
             (std::invocable<std::decay_t<F>, std::decay_t<Args>...> ||
              std::invocable<std::decay_t<F>, stop_token, std::decay_t<Args>...>))
  explicit jthread(F&& f, Args&&... args)
      : thread_(start(stop_, std::forward<F>(f), std::forward<Args>(args)...)) {}
  jthread(jthread&&) noexcept = default;
  jthread& operator=(jthread&& other) noexcept {
    jthread(std::move(other)).swap(*this);
    return *this;
  }
  ~jthread() {
    if (joinable()) {
      request_stop();
      join();
    }
  }

  [[nodiscard]] bool joinable() const noexcept { return thread_.joinable(); }
  [[nodiscard]] id get_id() const noexcept { return thread_.get_id(); }
  void join(const std::source_location& where = std::source_location::current()) {
    thread_.join(where);
  }
  void detach() { thread_.detach(); }
  void swap(jthread& other) noexcept {
    thread_.swap(other.thread_);
    stop_.swap(other.stop_);
  }
  friend void swap(jthread& one, jthread& other) noexcept { one.swap(other); }

  [[nodiscard]] stop_source get_stop_source() noexcept { return stop_; }
  [[nodiscard]] stop_token get_stop_token() const noexcept { return stop_.get_token(); }
  bool request_stop() noexcept { return stop_.request_stop(); }

 private:
  template <class F, class... Args>
  static thread start(const stop_source& stop, F&& f, Args&&... args) {
    if constexpr (std::is_invocable_v<std::decay_t<F>, stop_token, std::decay_t<Args>...>) {
      return thread(std::forward<F>(f), stop.get_token(), std::forward<Args>(args)...);
    } else {
      return thread(std::forward<F>(f), std::forward<Args>(args)...);
    }
  }

  stop_source stop_;
  thread thread_;
};

}  // namespace weft
