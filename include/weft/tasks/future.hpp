// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that are not there yet. Waiting for one suspends the task, never the worker.
#pragma once

#include <concepts>
#include <exception>
#include <source_location>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/future_block.hpp"
#include "weft/tasks/future_error.hpp"
#include "weft/tasks/launch.hpp"

namespace weft {

template <class T>
class future;
template <class T>
class shared_future;

namespace tasks::detail {

[[noreturn]] void throw_future_error(future_errc code);

/// Gives up a future's share of a state, unless it was handed on.
template <class T>
class state_owner {
 public:
  explicit state_owner(result_state<T>* state) noexcept : state_(state) {}
  state_owner(const state_owner&) = delete;
  state_owner& operator=(const state_owner&) = delete;
  ~state_owner() { abandon(*state_); }

 private:
  result_state<T>* state_;
};

/// The way from futures to their states and back, for those who make or combine futures.
struct future_access {
  template <class T>
  static future<T> make(result_state<T>* state) noexcept {
    return future<T>(state);
  }
  template <class Future>
  static auto* state_of(const Future& f) noexcept {
    return f.state_;
  }
  template <class Future>
  static auto* release(Future& f) noexcept {
    return std::exchange(f.state_, nullptr);
  }
};

template <class T>
[[gnu::noinline]] T get_slowly(result_state<T>* state, const std::source_location& where) {
  const state_owner<T> owner(state);
  wait_until_final(*state, wait_reason{"future", state, where});
  return state->take();
}

/// After the caller has claimed `state` without room to run it here.
template <class T>
[[gnu::noinline, gnu::cold]] T get_on_another_stack(result_state<T>* state) {
  const state_owner<T> owner(state);
  run_here(*state);
  return state->take();
}

template <class T>
struct is_future : std::false_type {};
template <class T>
struct is_future<future<T>> : std::true_type {};
template <class T>
struct is_future<shared_future<T>> : std::true_type {};

template <class T, template <class> class Future>
T value_type_of(const Future<T>*);

}  // namespace tasks::detail

/// `future<T>` or `shared_future<T>`.
template <class F>
concept any_future = tasks::detail::is_future<std::remove_cvref_t<F>>::value;

/// A result of type T, a reference, or nothing (void), that is or will be there.
///
/// Destroying a future does not wait: its task runs all the same, unless it is deferred.
/// Threads: one at a time; the producer may be on any thread and in any runtime.
/// Example: tests/tasks/future_test.cpp
template <class T>
class [[nodiscard]] future {
 public:
  using value_type = T;

  future() noexcept = default;
  future(future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  future& operator=(future&& other) noexcept {
    future(std::move(other)).swap(*this);
    return *this;
  }
  future(const future&) = delete;
  future& operator=(const future&) = delete;
  ~future() {
    if (state_ != nullptr) [[unlikely]] {
      tasks::detail::abandon(*state_);
    }
  }
  void swap(future& other) noexcept { std::swap(state_, other.state_); }

  /// True if it stands for a result: neither default-constructed, nor moved from, nor used up.
  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
  [[nodiscard]] bool is_ready() const noexcept { return valid() && state_->is_ready(); }
  [[nodiscard]] bool has_value() const noexcept { return is_ready() && !state_->has_failed(); }
  [[nodiscard]] bool has_exception() const noexcept { return is_ready() && state_->has_failed(); }

  /// Waits, and moves the result out; the future is then no longer valid.
  ///
  /// A task that nobody has begun runs here, as a call. Else the calling task is suspended, or the
  /// calling OS thread sleeps.
  /// Cost:    with `async` about forty instructions if nobody took the task: no fence, no atomic
  ///          read-modify-write.
  /// Errors:  rethrows the task's exception; `future_error` (no_state) if not `valid()`.
  [[gnu::always_inline]] T get(
      const std::source_location& where = std::source_location::current()) {
    namespace detail = tasks::detail;
    detail::result_state<T>* state = take_state();
    detail::worker* w = detail::self();
    // relaxed: only this future's owner could have added a dependent
    if (w == nullptr || state->done.load(std::memory_order_relaxed) != detail::task::pending ||
        !w->tasks.claim_any(*state, state->place)) [[unlikely]] {
      return detail::get_slowly(state, where);
    }
    if (detail::is_short_of_stack(*w)) [[unlikely]] {
      return detail::get_on_another_stack(state);
    }
    return state->call();
  }

  /// Waits until `is_ready()`, as `get` does, and keeps the result.
  /// Errors:  `future_error` (no_state) if not `valid()`.
  void wait(const std::source_location& where = std::source_location::current()) const {
    require_state();
    tasks::detail::wait_until_final(*state_, {"future", state_, where});
  }

 private:
  friend struct tasks::detail::future_access;
  explicit future(tasks::detail::result_state<T>* state) noexcept : state_(state) {}

  void require_state() const {
    if (state_ == nullptr) [[unlikely]] {
      tasks::detail::throw_future_error(future_errc::no_state);
    }
  }
  [[gnu::always_inline]] tasks::detail::result_state<T>* take_state() {
    require_state();
    return std::exchange(state_, nullptr);
  }

  tasks::detail::result_state<T>* state_ = nullptr;
};

}  // namespace weft
