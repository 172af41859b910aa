// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A callable whose result goes to a future, to be called by whoever has it.
#pragma once

#include <concepts>
#include <exception>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/tasks/promise.hpp"

namespace weft {

namespace tasks::detail {

/// Can hold nothing to call, and be asked: pointers, std::function and the like. Not a closure,
/// which becomes a pointer on demand.
template <class F>
concept nullable = std::is_pointer_v<F> || std::is_member_pointer_v<F> ||
                   (std::is_class_v<F> && !requires(const F& f) { +f; } && requires(const F& f) {
                     { f == nullptr } -> std::convertible_to<bool>;
                   });

template <class F>
F&& require_callable(F&& f) {
  if constexpr (nullable<std::decay_t<F>> && !std::is_function_v<std::remove_reference_t<F>>) {
    if (f == nullptr) {
      throw_future_error(future_errc::no_callable);
    }
  }
  return std::forward<F>(f);
}

}  // namespace tasks::detail

template <class Signature>
class packaged_task;

/// Holds a callable, which need only be movable, and the promise of its result.
///
/// Threads: one at a time; the future may be used by another.
/// Example: tests/tasks/promise_test.cpp: result_goes_to_the_future.
template <class R, class... Args>
class packaged_task<R(Args...)> {
 public:
  packaged_task() noexcept = default;
  /// Errors:  `future_error` (no_callable) for a null pointer or an empty std::function.
  template <class F>
    requires(!std::same_as<std::decay_t<F>, packaged_task> &&
             std::is_invocable_r_v<R, std::decay_t<F>&, Args...>)
  explicit packaged_task(F&& f)
      : callable_(std::make_unique<holder<std::decay_t<F>>>(
            std::in_place, tasks::detail::require_callable(std::forward<F>(f)))),
        promise_(std::make_unique<promise<R>>()) {}

  [[nodiscard]] bool valid() const noexcept { return promise_ != nullptr; }

  /// Errors:  `future_error`: already_retrieved; no_state if not `valid()`.
  future<R> get_future() {
    require_state();
    return promise_->get_future();
  }

  /// Calls the callable; what it returns or throws is for the future.
  /// Errors:  `future_error`: promise_already_satisfied if it was called before; no_state if not
  ///          `valid()`.
  void operator()(Args... args) {
    require_state();
    if (std::exchange(was_called_, true)) {
      tasks::detail::throw_future_error(future_errc::promise_already_satisfied);
    }
    try {
      if constexpr (std::is_void_v<R>) {
        callable_->call(std::forward<Args>(args)...);
        promise_->set_value();
      } else {
        promise_->set_value(callable_->call(std::forward<Args>(args)...));
      }
    } catch (...) {
      promise_->set_exception(std::current_exception());
    }
  }

  /// Makes it callable once more, with a new future.
  /// Errors:  `future_error` (no_state) if not `valid()`.
  void reset() {
    require_state();
    promise_ = std::make_unique<promise<R>>();
    was_called_ = false;
  }

 private:
  struct callable {
    virtual ~callable() = default;
    virtual R call(Args... args) = 0;
  };
  template <class F>
  struct holder final : callable {
    template <class G>
    holder(std::in_place_t /*unused*/, G&& g) : f(std::forward<G>(g)) {}
    R call(Args... args) override {
      return static_cast<R>(std::apply(f, std::tuple<Args&&...>(std::forward<Args>(args)...)));
    }
    F f;
  };

  void require_state() const {
    if (promise_ == nullptr) {
      tasks::detail::throw_future_error(future_errc::no_state);
    }
  }

  std::unique_ptr<callable> callable_;
  std::unique_ptr<promise<R>> promise_;
  bool was_called_ = false;
};

}  // namespace weft
