// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A future that can be copied: all copies stand for the same result.
#pragma once

#include <concepts>
#include <source_location>
#include <type_traits>
#include <utility>

#include "weft/base/durations.hpp"
#include "weft/tasks/future.hpp"

namespace weft {

/// A result that several may read; `get` does not move it out.
///
/// Threads: one at a time for each copy.
/// Example: tests/tasks/future_test.cpp: copies_of_a_shared_future_give_the_same_object.
template <class T>
class [[nodiscard]] shared_future {
 public:
  using value_type = T;
  using reference = std::conditional_t<std::is_void_v<T> || std::is_reference_v<T>,
                                       T,
                                       std::add_lvalue_reference_t<const T>>;

  shared_future() noexcept = default;
  /// Errors:  `future_error` (no_state) if `unique` is not `valid()`.
  shared_future(future<T>&& unique)  // as std::shared_future
      : state_(tasks::detail::future_access::release(unique)) {
    require_state();
    tasks::detail::share_first(*state_);
  }
  /// Forgets the value: ready when that one is, and failed if it is.
  template <class U>
    requires(std::is_void_v<T> && !std::is_void_v<U> && !tasks::detail::is_future<U>::value)
  shared_future(const shared_future<U>& valued)  // implicit by design
      : shared_future(valued.then(launch::sync,
                                  [](const shared_future<U>& f) { static_cast<void>(f.get()); })) {}
  shared_future(const shared_future& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) {
      tasks::detail::share_once_more(*state_);
    }
  }
  shared_future(shared_future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  shared_future& operator=(shared_future other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~shared_future() {
    if (state_ != nullptr) {
      tasks::detail::abandon_share(*state_);
    }
  }

  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
  [[nodiscard]] bool is_ready() const noexcept { return valid() && state_->is_ready(); }
  [[nodiscard]] bool has_value() const noexcept { return is_ready() && !state_->has_failed(); }
  [[nodiscard]] bool has_exception() const noexcept { return is_ready() && state_->has_failed(); }

  /// Waits, as `future::get`, and gives access to the result.
  /// Errors:  rethrows the task's exception; `future_error` (no_state) if not `valid()`.
  reference get(const std::source_location& where = std::source_location::current()) const {
    wait(where);
    state_->rethrow_if_failed();
    if constexpr (std::is_reference_v<T>) {
      return static_cast<T>(*state_->value);
    } else if constexpr (!std::is_void_v<T>) {
      return state_->value;
    }
  }

  /// As those of `future`.
  void wait(const std::source_location& where = std::source_location::current()) const {
    require_state();
    tasks::detail::wait_until_final(*state_, {"shared_future", state_, where});
  }
  template <class Clock, class Duration>
  future_status wait_until(
      const std::chrono::time_point<Clock, Duration>& limit,
      const std::source_location& where = std::source_location::current()) const {
    require_state();
    return tasks::detail::wait_for_status(*state_, tasks::detail::deadline_at(limit), where);
  }
  template <class Rep, class Period>
  future_status wait_for(
      const std::chrono::duration<Rep, Period>& duration,
      const std::source_location& where = std::source_location::current()) const {
    require_state();
    return tasks::detail::wait_for_status(*state_, tasks::detail::deadline_after(duration), where);
  }

  /// As `future::then`, but this future stays valid: `f` is given a copy.
  template <class F>
    requires std::invocable<std::decay_t<F>, shared_future>
  auto then(launch policy, F&& f) const {
    require_state();
    return tasks::detail::continue_with(policy, shared_future(*this), std::forward<F>(f));
  }
  template <class F>
    requires std::invocable<std::decay_t<F>, shared_future>
  auto then(F&& f) const {
    return then(launch::async, std::forward<F>(f));
  }
  /// An error that has a sentence of its own.
  template <class F>
    requires(!std::invocable<std::decay_t<F>, shared_future>)
  auto then(F&& /*f*/) const {
    return tasks::detail::refuse_continuation<F, shared_future>();
  }
  template <class PolicyOrExecutor, class F>
    requires(!std::invocable<std::decay_t<F>, shared_future>)
  auto then(PolicyOrExecutor&& /*where*/, F&& /*f*/) const {
    return tasks::detail::refuse_continuation<F, shared_future>();
  }
  /// The same on an executor; include weft/execution/executor.hpp, which says what that is.
  template <class Executor, class F>
    requires(!std::convertible_to<Executor, launch>) &&
            std::invocable<std::decay_t<F>, shared_future>
  auto then(Executor&& where, F&& f) const {
    static_assert(tasks::detail::check_executors<F>());
    require_state();
    return tasks::detail::then_execute_on<F>{}(where, std::forward<F>(f), shared_future(*this));
  }

  /// `co_await f` gives what `f.get()` does, once the coroutine is resumed as a task.
  auto operator co_await() const {
    require_state();
    return tasks::detail::future_awaiter<shared_future>(*this);
  }

 private:
  friend struct tasks::detail::future_access;

  void require_state() const {
    if (state_ == nullptr) [[unlikely]] {
      tasks::detail::throw_future_error(future_errc::no_state);
    }
  }

  tasks::detail::result_state<T>* state_ = nullptr;
};

}  // namespace weft
