// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts a call as a task without a result.
#pragma once

#include <concepts>
#include <exception>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/futures/future_block.hpp"
#include "weft/tasks/launch.hpp"

namespace weft {

/// The handler of exceptions that escape from a posted task. It must not throw.
using escaped_exception_handler = void (*)(std::exception_ptr) noexcept;

/// Replaces the handler for the whole process and returns the former one. The default one, which
/// null restores, ends the process by std::terminate, which names the exception.
/// Threads: any.
escaped_exception_handler set_escaped_exception_handler(escaped_exception_handler handler) noexcept;

namespace tasks::detail {

void handle_escaped_exception() noexcept;

template <class Call>
struct posted_block final : task {
  template <class... Args>
  explicit posted_block(Args&&... args) noexcept(std::is_nothrow_constructible_v<Call, Args...>)
      : task(run), call(std::forward<Args>(args)...) {}

  static waiter* run(task& t) noexcept {
    auto& me = static_cast<posted_block&>(t);
    try {
      static_cast<void>(std::move(me.call)());
    } catch (...) {
      handle_escaped_exception();
    }
    destroy_block(me);
    return nullptr;
  }

  Call call;
};

}  // namespace tasks::detail

namespace tasks::detail {

template <class F, class... Args>
void post_as(task_priority priority, scheduler& home, F&& f, Args&&... args) {
  using block_type = posted_block<bound_call<std::decay_t<F>, std::decay_t<Args>...>>;
  auto* block = make_block<block_type>(self(), std::forward<F>(f), std::forward<Args>(args)...);
  try {
    start_as(priority, home, *block);
  } catch (...) {
    destroy_block(*block);
    throw;
  }
}

}  // namespace tasks::detail

/// Calls a copy of `f` with copies of `args` as a task.
///
/// Threads: from any. A thread that is not a worker uses the default runtime.
/// Errors:  what copying throws; std::bad_alloc; then nothing is started. What `f` throws goes to
///          the handler above.
/// Example: tests/tasks/post_test.cpp: runs_what_is_posted.
template <class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...>
void post(F&& f, Args&&... args) {
  namespace detail = tasks::detail;
  using block_type =
      detail::posted_block<detail::bound_call<std::decay_t<F>, std::decay_t<Args>...>>;
  auto* block = detail::make_block<block_type>(
      detail::self(), std::forward<F>(f), std::forward<Args>(args)...);
  try {
    detail::start(detail::current_scheduler(), *block);
  } catch (...) {
    detail::destroy_block(*block);
    throw;
  }
}

/// The same with a priority.
/// Example: tests/tasks/priority_test.cpp: one_worker_begins_high_ones_first_and_low_ones_last.
template <class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...>
void post(task_priority priority, F&& f, Args&&... args) {
  tasks::detail::post_as(priority,
                         tasks::detail::current_scheduler(),
                         std::forward<F>(f),
                         std::forward<Args>(args)...);
}

/// As `post(f, args...)`.
template <class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...>
void async(launch::post_policy /*policy*/, F&& f, Args&&... args) {
  post(std::forward<F>(f), std::forward<Args>(args)...);
}

}  // namespace weft
