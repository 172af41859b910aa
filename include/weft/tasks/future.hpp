// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that are not there yet, for one reader or for several. Waiting for one suspends the task,
// never the worker.
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <source_location>
#include <type_traits>
#include <utility>

#include "weft/base/durations.hpp"
#include "weft/tasks/detail/futures/future_access.hpp"
#include "weft/tasks/detail/futures/future_awaiter.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"
#include "weft/tasks/future_error.hpp"
#include "weft/tasks/launch.hpp"

namespace weft {

namespace execution {
struct sender_tag;
namespace detail {
template <class Future>
struct future_as_sender;
}
}  // namespace execution

/// `future<T>` or `shared_future<T>`.
template <class F>
concept any_future = tasks::detail::is_future<std::remove_cvref_t<F>>::value;

/// The result of a wait with a time limit.
enum class future_status : std::uint8_t {
  ready,
  timeout,
  deferred,  // it begins when somebody waits for it without a limit
};

namespace tasks::detail {
future_status wait_for_status(future_state& state,
                              time_point deadline,
                              const std::source_location& where);
}

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
  /// Takes the place of the inner future: ready when that is, and failed if either is.
  future(future<future>&& nested)  // implicit by design
      : future(std::move(nested).then(launch::sync, [](future<future> f) { return f.get(); })) {}

  /// Forgets the value: ready when that one is, and failed if it is.
  template <class U>
    requires(std::is_void_v<T> && !std::is_void_v<U> && !tasks::detail::is_future<U>::value)
  future(future<U>&& valued)  // implicit by design
      : future(std::move(valued).then(launch::sync,
                                      [](future<U> f) { static_cast<void>(f.get()); })) {}

  void swap(future& other) noexcept { std::swap(state_, other.state_); }

  /// True if it stands for a result: neither default-constructed, nor moved from, nor used up.
  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
  [[nodiscard]] bool is_ready() const noexcept { return valid() && state_->is_ready(); }
  [[nodiscard]] bool has_value() const noexcept { return is_ready() && !state_->has_failed(); }
  [[nodiscard]] bool has_exception() const noexcept { return is_ready() && state_->has_failed(); }

  /// Waits, and moves the result out; the future is then no longer valid.
  ///
  /// A task that has not started runs here, as a call. Otherwise the calling task is suspended, or
  /// the calling OS thread sleeps.
  /// Cost:    with `async` about forty instructions if the task was not stolen: no fence, no atomic
  ///          read-modify-write.
  /// Errors:  rethrows the task's exception; `future_error` (no_state) if not `valid()`;
  ///          `weft::error` if no stack is left for its worker: the future stays valid.
  [[gnu::always_inline]] T get(
      const std::source_location& where = std::source_location::current()) {
    namespace detail = tasks::detail;
    detail::result_state<T>* state = take_state();
    detail::worker* w = detail::self();
    // relaxed: only this future's owner could have added a dependent
    if (w == nullptr || state->done.load(std::memory_order_relaxed) != detail::task::pending ||
        !(w->tasks.claim_any(*state) || detail::claim_inside(*w, *state, state->place)))
        [[unlikely]] {
      state_ = state;  // kept if the wait fails
      if (!state->is_ready()) {
        detail::wait_before_get(*state, where);
      }
      return detail::take_result(take_state());
    }
    if (w->clock.count()) [[unlikely]] {
      return run_and_take(*state, true, where);
    }
    if (detail::is_short_of_stack(*w)) [[unlikely]] {
      return run_and_take(*state, false, where);
    }
    return state->call();
  }

  /// Waits until `is_ready()`, as `get` does, and keeps the result.
  /// Errors:  `future_error` (no_state) if not `valid()`.
  void wait(const std::source_location& where = std::source_location::current()) const {
    require_state();
    tasks::detail::wait_until_final(*state_, {"future", state_, where});
  }

  /// Waits as `wait` does, but until `limit` at most, and never runs the task here.
  /// Errors:  as `wait`; std::system_error if the timer's thread cannot be started.
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

  /// Calls `f(ready future)` when this future is ready; returns a future for the result of `f`, or
  /// for the result of the future that `f` returns. This future is then no longer valid.
  ///
  /// `f` is queued as a task. With `launch::sync` the thread that completes this future calls `f`,
  /// or this thread if the future is ready. Such calls run one after the other: do not wait in `f`
  /// for another of them. What a `tasks::progress_source` completes has `f` queued all the same.
  /// Errors:  `future_error` (no_state) if not `valid()`; what copying `f` throws. What `f` throws
  ///          is for the returned future's owner.
  /// Example: tests/tasks/then_test.cpp: passes_the_ready_future.
  template <class F>
    requires std::invocable<std::decay_t<F>, future>
  auto then(launch policy, F&& f) {
    require_state();
    return tasks::detail::continue_with(policy, std::move(*this), std::forward<F>(f));
  }
  template <class F>
    requires std::invocable<std::decay_t<F>, future>
  auto then(F&& f) {
    return then(launch::async, std::forward<F>(f));
  }
  /// An error with a message of its own.
  template <class F>
    requires(!std::invocable<std::decay_t<F>, future>)
  auto then(F&& /*f*/) {
    return tasks::detail::refuse_continuation<F, future>();
  }
  template <class PolicyOrExecutor, class F>
    requires(!std::invocable<std::decay_t<F>, future>)
  auto then(PolicyOrExecutor&& /*where*/, F&& /*f*/) {
    return tasks::detail::refuse_continuation<F, future>();
  }
  /// The same on an executor; include weft/execution/executor.hpp, which says what that is.
  template <class Executor, class F>
    requires(!std::convertible_to<Executor, launch>) && std::invocable<std::decay_t<F>, future>
  auto then(Executor&& where, F&& f) {
    static_assert(tasks::detail::check_executors<F>());
    require_state();
    return tasks::detail::then_execute_on<F>{}(where, std::forward<F>(f), std::move(*this));
  }

  /// Turns it into a future that can be copied; this one is then no longer valid.
  /// Errors:  `future_error` (no_state) if not `valid()`.
  shared_future<T> share() { return shared_future<T>(std::move(*this)); }

  /// A future is a sender of its result (weft/execution/as_future.hpp): it completes as a task of
  /// the runtime in which it was started.
  using sender_concept = execution::sender_tag;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures() {
    return typename execution::detail::future_as_sender<std::remove_cvref_t<Self>>::signatures();
  }
  template <class Receiver>
  auto connect(Receiver to) && noexcept {
    return execution::detail::future_as_sender<future>::connect(std::move(*this), std::move(to));
  }

  /// `co_await f` gives what `f.get()` does, or what the inner future gives if T is a future. The
  /// coroutine is resumed as a task of the runtime in which it waits.
  /// Errors:  as `get`.
  auto operator co_await() {
    require_state();
    if constexpr (tasks::detail::is_future<T>::value) {
      using flat = future<typename T::value_type>;
      return tasks::detail::future_awaiter<flat>(
          then(launch::sync, [](future outer) { return outer.get(); }));
    } else {
      return tasks::detail::future_awaiter<future>(std::move(*this));
    }
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

  /// Runs what `get` has claimed and counted, but not as a plain call.
  [[gnu::always_inline]] T run_and_take(tasks::detail::result_state<T>& state,
                                        bool is_timed,
                                        const std::source_location& where) {
    state_ = &state;  // kept if the wait fails
    tasks::detail::run_before_get(state, is_timed, where);
    return tasks::detail::take_result(take_state());
  }

  tasks::detail::result_state<T>* state_ = nullptr;
};

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
      tasks::detail::add_sharer(*state_);
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
  /// An error with a message of its own.
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

#include "weft/tasks/detail/futures/continuation.hpp"
