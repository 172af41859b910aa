// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A callable whose result goes to a future; its owner calls it.
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

/// Types that can be empty and say so: pointers, std::function and similar. Not a closure, which
/// becomes a pointer on demand.
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

/// A callable, and the promise of its result.
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
  packaged_task(packaged_task&&) noexcept = default;
  packaged_task& operator=(packaged_task&&) noexcept = default;
  ~packaged_task() = default;
  /// Errors:  `future_error` (no_callable) for a null pointer or an empty std::function.
  template <class F>
    requires(!std::same_as<std::decay_t<F>, packaged_task> &&
             std::is_invocable_r_v<R, std::decay_t<F>&, Args...>)
  explicit packaged_task(F&& f)
      : state_(std::make_shared<holder<std::decay_t<F>>>(
            std::in_place, tasks::detail::require_callable(std::forward<F>(f)))) {}
  /// The callable, and what is shared with the future, come from `source`.
  /// Errors:  as above; what the allocator throws.
  template <class Allocator, class F>
    requires std::is_invocable_r_v<R, std::decay_t<F>&, Args...>
  packaged_task(std::allocator_arg_t tag, const Allocator& source, F&& f)
      : state_(std::allocate_shared<allocated_holder<std::decay_t<F>, Allocator>>(
            source, tag, source, tasks::detail::require_callable(std::forward<F>(f)))) {}

  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }

  /// Errors:  `future_error`: already_retrieved; no_state if not `valid()`.
  future<R> get_future() {
    require_state();
    return state_->result.get_future();
  }

  /// Calls the callable; what it returns or throws is for the future.
  /// Errors:  `future_error`: promise_already_satisfied if it was called before; no_state if not
  ///          `valid()`.
  void operator()(Args... args) {
    require_state();
    if (std::exchange(state_->was_called, true)) {
      tasks::detail::throw_future_error(future_errc::promise_already_satisfied);
    }
    promise<R>& result = state_->result;
    std::exception_ptr raised;
    try {
      if constexpr (std::is_void_v<R>) {
        state_->call(std::forward<Args>(args)...);
        result.set_value();
      } else {
        result.set_value(state_->call(std::forward<Args>(args)...));
      }
    } catch (...) {
      raised = std::current_exception();
    }
    if (raised != nullptr) {  // after the handler, so that only the future has the exception
      result.set_exception(std::move(raised));
    }
  }

  /// Makes it callable once more, with a new future.
  /// Errors:  `future_error` (no_state) if not `valid()`.
  void reset() {
    require_state();
    state_->result = state_->make_promise();
    state_->was_called = false;
  }

 private:
  struct shared_part {
    explicit shared_part(promise<R> first) noexcept : result(std::move(first)) {}
    shared_part(const shared_part&) = delete;
    shared_part& operator=(const shared_part&) = delete;
    virtual ~shared_part() = default;
    virtual R call(Args... args) = 0;
    [[nodiscard]] virtual promise<R> make_promise() const { return promise<R>(); }

    promise<R> result;
    bool was_called = false;
  };
  template <class F>
  struct holder : shared_part {
    template <class G>
    holder(std::in_place_t /*unused*/, G&& g) : shared_part(promise<R>()), f(std::forward<G>(g)) {}
    template <class G>
    holder(promise<R> first, G&& g) : shared_part(std::move(first)), f(std::forward<G>(g)) {}
    R call(Args... args) override {
      return static_cast<R>(std::apply(f, std::tuple<Args&&...>(std::forward<Args>(args)...)));
    }
    F f;
  };
  template <class F, class Allocator>
  struct allocated_holder final : holder<F> {
    template <class G>
    allocated_holder(std::allocator_arg_t tag, const Allocator& memory, G&& g)
        : holder<F>(promise<R>(tag, memory), std::forward<G>(g)), source(memory) {}
    [[nodiscard]] promise<R> make_promise() const override {
      return promise<R>(std::allocator_arg, source);
    }
    Allocator source;
  };

  void require_state() const {
    if (state_ == nullptr) {
      tasks::detail::throw_future_error(future_errc::no_state);
    }
  }

  std::shared_ptr<shared_part> state_;  // one owner; shared for the sake of `allocate_shared`
};

}  // namespace weft

template <class R, class... Args, class Allocator>
// NOLINTNEXTLINE(bugprone-std-namespace-modification): a trait that is meant to be specialized
struct std::uses_allocator<weft::packaged_task<R(Args...)>, Allocator> : std::true_type {};
