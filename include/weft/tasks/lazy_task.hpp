// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The coroutine type of weft: a lazy task that costs little more than a function call.
#pragma once

#include <concepts>
#include <coroutine>
#include <source_location>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/futures/coroutine_promise.hpp"
#include "weft/tasks/detail/futures/coroutine_root.hpp"

namespace weft {

namespace execution {
struct sender_tag;
template <class T, class Sender>
struct task_completions;
template <class T, class Receiver>
class lazy_task_operation;
}  // namespace execution

template <class T = void>
class lazy_task;

namespace tasks::detail {

template <class T>
struct task_promise : promise_of<T> {
  weft::lazy_task<T> get_return_object() noexcept;
};

/// The coroutine of a task, which the caller now owns.
template <class T>
coroutine release(weft::lazy_task<T>& owner) noexcept;

template <class T>
struct task_awaiter {
  explicit task_awaiter(weft::lazy_task<T>&& child) noexcept : awaited(std::move(child)) {}

  bool await_ready() const noexcept { return false; }

  template <class Promise>
  [[gnu::always_inline]] bool await_suspend(std::coroutine_handle<Promise> awaiting) {
    const coroutine child = release(awaited);
    child.promise().result = &result;
    child.promise().after = successor(awaiting);
    if constexpr (std::derived_from<Promise, coroutine_promise>) {
      child.promise().environment = awaiting.promise().environment;
    }
    worker* w = self();
    if (w == nullptr || is_short_of_stack(*w)) [[unlikely]] {
      detach(promise_if_ours(awaiting));
      start_later(child);
      return true;
    }
    nested_call call{promise_if_ours(awaiting)};
    run_nested(child, call);
    return !call.is_done;
  }

  T await_resume() { return result.take(); }

  using detaches_itself = void;
  weft::lazy_task<T> awaited;
  outcome<T> result;
};

}  // namespace tasks::detail

/// A coroutine that returns a T, or throws; T may be a reference or void. It starts when awaited:
/// `T x = co_await child(arguments)`, by `co_await weft::fork(...)` together with others, or by
/// `weft::blocking_wait` from ordinary code. It is awaited once at most, and destroyed unstarted if
/// never.
///
/// Any coroutine may await it, and it may await any awaitable. Its body may also use what suspends
/// the whole stack (`fork_join`, `future::get`). After each `co_await` it may run on another OS
/// thread.
///
/// Arguments are copied or moved into the frame, but references stay references: pass what must
/// live as long as the task by value. The captures of a lambda coroutine die with the lambda: keep
/// it alive until the task has ended, or pass parameters instead.
///
/// g++ before version 13 destroys some temporaries of a `co_await` expression twice (GCC PR 99576).
/// These are lambdas with captures that have a destructor, aggregates with such members, and
/// operands of `?:`. Give such an object a name first, then `co_await f(std::move(name))`. Tasks
/// themselves, strings and other classes with constructors are safe.
/// Cost:    a frame from the worker's own blocks, one call, and no atomic operation; the frame is
///          freed when the coroutine ends.
/// Example: tests/tasks/coroutine_test.cpp: returns_values_references_and_nothing
template <class T>
class [[nodiscard]] lazy_task {
 public:
  using promise_type = tasks::detail::task_promise<T>;
  using value_type = T;

  /// No task: only to be assigned to or destroyed.
  lazy_task() noexcept = default;
  lazy_task(lazy_task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  lazy_task& operator=(lazy_task&& other) noexcept {
    lazy_task old(std::move(*this));
    coroutine_ = std::exchange(other.coroutine_, nullptr);
    return *this;
  }
  ~lazy_task() {
    if (coroutine_ != nullptr) {
      coroutine_.destroy();
    }
  }

  /// True until it is awaited or moved from.
  [[nodiscard]] bool valid() const noexcept { return coroutine_ != nullptr; }

  auto operator co_await() && noexcept { return tasks::detail::task_awaiter<T>(std::move(*this)); }

  /// A task is a sender of its result, an exception, or a stop: see weft/execution/lazy_task.hpp.
  using sender_concept = execution::sender_tag;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures() {
    return execution::task_completions<T, Self>::get();
  }
  template <class Receiver>
  auto connect(Receiver to) && {
    return execution::lazy_task_operation<T, Receiver>(std::move(*this), std::move(to));
  }
  using detaches_itself = void;

 private:
  friend promise_type;
  friend tasks::detail::coroutine tasks::detail::release<T>(lazy_task& owner) noexcept;
  explicit lazy_task(tasks::detail::coroutine fresh) noexcept : coroutine_(fresh) {}

  tasks::detail::coroutine coroutine_;
};

namespace tasks::detail {

template <class T>
weft::lazy_task<T> task_promise<T>::get_return_object() noexcept {
  // All promises have the layout of coroutine_promise: those derived from it add no member.
  static_assert(sizeof(task_promise) == sizeof(coroutine_promise));
  static_assert(alignof(task_promise) == alignof(coroutine_promise));
  return weft::lazy_task<T>(
      coroutine::from_address(std::coroutine_handle<task_promise>::from_promise(*this).address()));
}

template <class T>
coroutine release(weft::lazy_task<T>& owner) noexcept {
  return std::exchange(owner.coroutine_, nullptr);
}

}  // namespace tasks::detail

/// Runs `work` and returns its result, for code that is not a coroutine.
///
/// Threads: from any. A task runs it at once on its own stack, and is suspended while it has to
///          wait. A thread that is not a worker sleeps while the default runtime runs it.
/// Errors:  rethrows what `work` throws; std::bad_alloc and `weft::error` as for other waits.
/// Example: tests/tasks/coroutine_test.cpp: blocking_wait_works_within_tasks_and_outside
template <class T>
T blocking_wait(lazy_task<T> work,
                const std::source_location& where = std::source_location::current()) {
  tasks::detail::outcome<T> result;
  tasks::detail::coroutine_root root(tasks::detail::release(work), &result);
  root.run_and_wait({"blocking_wait", &root, where});
  return result.take();
}

}  // namespace weft
