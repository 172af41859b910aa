// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A callable as a task that lives in the frame of the code that waits for it.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/groups/task_scope.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/sync/held_locks.hpp"

namespace weft::tasks::detail {

/// The return type of a callable, with std::monostate for void.
template <class F>
using forked_value = std::conditional_t<std::is_void_v<std::invoke_result_t<F&>>,
                                        std::monostate,
                                        std::decay_t<std::invoke_result_t<F&>>>;

template <class F>
[[gnu::always_inline]] inline forked_value<F> call_forked(F& f) {
  [[maybe_unused]] const lock_balance balance;
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    std::invoke(f);
    return {};
  } else {
    return std::invoke(f);
  }
}

/// For work that a thread which is not a worker starts and waits for: it is part of no task.
struct from_outside {};

/// A callable that other workers may take; it lives in the frame of the call that forked it.
template <class F>
struct forked : task {
  [[gnu::always_inline]] explicit forked(F& f) noexcept
      : task(run_stolen), body(std::addressof(f)) {}
  forked(F& f, from_outside /*tag*/) noexcept : task(run_whole), body(std::addressof(f)) {}
  ~forked() {}  // `take` has moved the content of `outcome` out
  forked(const forked&) = delete;
  forked& operator=(const forked&) = delete;

  /// Returns the value, or throws the exception, after another worker has run the callable. Call it
  /// once.
  forked_value<F> take() {
    if (done.load(std::memory_order_acquire) == failed) {
      std::exception_ptr raised = std::move(error);
      std::destroy_at(&error);
      std::rethrow_exception(std::move(raised));
    }
    forked_value<F> result = std::move(value);
    std::destroy_at(&value);
    return result;
  }

  F* body;
  [[no_unique_address]] frame_mark mark;
  union {
    forked_value<F> value;
    std::exception_ptr error;
  };

 private:
  [[gnu::no_sanitize_address]] static waiter* run_stolen(task& t) noexcept {
    auto& me = static_cast<forked&>(t);
    std::uintptr_t outcome = pending;
    {
      const task_scope scope(me.mark.address());
      outcome = me.fill();
    }
    return complete(t, outcome);
  }

  static waiter* run_whole(task& t) noexcept {
    return complete_from_outside(t, static_cast<forked&>(t).fill());
  }

  /// A separate function: see task_scope.
  [[gnu::noinline]] std::uintptr_t fill() noexcept {
    try {
      ::new (static_cast<void*>(std::addressof(value))) forked_value<F>(call_forked(*body));
      return finished;
    } catch (...) {
      ::new (static_cast<void*>(&error)) std::exception_ptr(std::current_exception());
      return failed;
    }
  }
};

}  // namespace weft::tasks::detail
