// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory and results of futures: one block holds the task, its state, its closure and its result.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/futures/future_state.hpp"
#include "weft/tasks/detail/scheduler/block_memory.hpp"
#include "weft/tasks/detail/sync/held_locks.hpp"

namespace weft::tasks::detail {

/// The stored result of a future<void>.
struct nothing {};

template <class T>
using stored = std::conditional_t<
    std::is_void_v<T>,
    nothing,
    std::conditional_t<std::is_reference_v<T>, std::add_pointer_t<std::remove_reference_t<T>>, T>>;

/// A state with room for a T or an exception.
template <class T>
struct result_state : future_state {
  /// `call` runs the task, frees its block, and returns or throws the task's result. Use it for a
  /// block that no other code knows. Null if the state is not a task.
  struct typed_operations : operations {
    T (*call)(result_state& state);
  };

  result_state(run_function body, const typed_operations& calls) noexcept
      : future_state(body, calls) {}
  ~result_state() {}  // call `destroy_result` before if there is a result
  result_state(const result_state&) = delete;
  result_state& operator=(const result_state&) = delete;

  [[gnu::always_inline]] T call() { return static_cast<const typed_operations*>(ops)->call(*this); }

  /// Stores the result or the exception of `f()`; returns the outcome to be passed to `finish`.
  template <class F>
  std::uintptr_t fill(F&& f) noexcept {
    try {
      [[maybe_unused]] const lock_balance balance;
      if constexpr (std::is_void_v<T>) {
        std::forward<F>(f)();
        ::new (static_cast<void*>(std::addressof(value))) nothing;
      } else if constexpr (std::is_reference_v<T>) {
        ::new (static_cast<void*>(std::addressof(value)))
            stored<T>(std::addressof(std::forward<F>(f)()));
      } else {
        ::new (static_cast<void*>(std::addressof(value))) T(std::forward<F>(f)());
      }
      return finished;
    } catch (...) {
      return fail(std::current_exception());
    }
  }
  /// Stores a result; returns the outcome to be passed to `finish`.
  template <class... Args>
  std::uintptr_t emplace(Args&&... args) {
    ::new (static_cast<void*>(std::addressof(value))) stored<T>(std::forward<Args>(args)...);
    return finished;
  }
  std::uintptr_t fail(std::exception_ptr raised) noexcept {
    ::new (static_cast<void*>(&error)) std::exception_ptr(std::move(raised));
    return failed;
  }

  /// Returns the result of a final state, moved out, or throws its exception.
  T take() {
    rethrow_if_failed();
    if constexpr (std::is_reference_v<T>) {
      return static_cast<T>(*value);
    } else if constexpr (!std::is_void_v<T>) {
      return std::move(value);
    }
  }

  [[nodiscard]] bool has_failed() const noexcept {
    return done.load(std::memory_order_acquire) == failed;
  }
  void rethrow_if_failed() const {
    if (has_failed()) [[unlikely]] {
      std::rethrow_exception(error);
    }
  }

  /// Destroys the result if there is one.
  void destroy_result() noexcept {
    const std::uintptr_t state = done.load(std::memory_order_relaxed);
    if (state == finished) {
      std::destroy_at(std::addressof(value));
    } else if (state == failed) {
      std::destroy_at(&error);
    }
  }

  union {
    stored<T> value;
    std::exception_ptr error;
  };
};

/// A state that other code completes, such as a promise.
template <class T>
struct plain_block final : result_state<T> {
  plain_block() noexcept : result_state<T>(nullptr, calls) {}

  static future_state* drop(future_state& state) noexcept {
    auto& me = static_cast<plain_block&>(state);
    me.destroy_result();
    destroy_block(me);
    return nullptr;
  }
  static constexpr typename result_state<T>::typed_operations calls{{drop}, nullptr};
};

/// A task that fills its own state: `Body` is called once, and destroyed before it is complete.
template <class T, class Body>
struct task_block final : result_state<T> {
  template <class... Args>
  explicit task_block(Args&&... args) noexcept(std::is_nothrow_constructible_v<Body, Args...>)
      : result_state<T>(run, calls), body(std::forward<Args>(args)...) {}
  ~task_block() {}

 private:
  static waiter* run(task& t) noexcept {
    auto& me = static_cast<task_block&>(static_cast<future_state&>(t));
    const std::uintptr_t outcome = me.fill([&me]() -> T {
      const body_end end{me};
      return std::move(me.body)();
    });
    return finish(me, outcome);
  }

  static T call(result_state<T>& state) {
    [[maybe_unused]] const lock_balance balance;
    const block_end end{static_cast<task_block&>(state)};
    return std::move(end.block.body)();
  }

  static future_state* drop(future_state& state) noexcept {
    auto& me = static_cast<task_block&>(state);
    future_state* source = nullptr;
    if (me.is_unstarted()) {
      if constexpr (requires { me.body.release_source(); }) {
        source = me.body.release_source();
      }
      std::destroy_at(std::addressof(me.body));
    }
    me.destroy_result();
    destroy_block(me);
    return source;
  }

  struct body_end {
    task_block& block;
    ~body_end() { std::destroy_at(std::addressof(block.body)); }
  };
  struct block_end {
    task_block& block;
    ~block_end() {
      std::destroy_at(std::addressof(block.body));
      destroy_block(block);
    }
  };

  static constexpr typename result_state<T>::typed_operations calls{{drop}, call};

  union {
    Body body;
  };
};

/// A callable with its arguments, to be called once.
template <class F, class... Args>
struct bound_call {
  template <class G, class... Given>
  explicit bound_call(G&& g,
                      Given&&... given) noexcept(std::is_nothrow_constructible_v<F, G> &&
                                                 (std::is_nothrow_constructible_v<Args, Given> &&
                                                  ...))
      : f(std::forward<G>(g)), args(std::forward<Given>(given)...) {}

  decltype(auto) operator()() && { return std::apply(std::move(f), std::move(args)); }

  [[no_unique_address]] F f;
  [[no_unique_address]] std::tuple<Args...> args;
};

/// The return type of calling a copy of a callable with copies of arguments.
template <class F, class... Args>
using result_of = std::remove_cv_t<std::invoke_result_t<std::decay_t<F>, std::decay_t<Args>...>>;

}  // namespace weft::tasks::detail
