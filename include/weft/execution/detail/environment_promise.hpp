// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The coroutines of tasks with an environment: their promise, and what it knows of its operation.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/affine.hpp"
#include "weft/execution/as_awaitable.hpp"
#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/frame_allocator.hpp"
#include "weft/execution/detail/storage.hpp"
#include "weft/execution/inline_scheduler.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/execution/task_scheduler.hpp"
#include "weft/tasks/lazy_task.hpp"

namespace weft::execution {

template <class T = void, class Env = env<>>
class task;

/// `co_yield with_error(e)` ends a `execution::task<T, Env>` with the error `e`, without an exception.
template <class Error>
struct with_error {
  using type = std::remove_cvref_t<Error>;
  // Not an aggregate, which g++ 12 would destroy twice in a co_yield (GCC PR 99576).
  explicit with_error(type what) : error(std::move(what)) {}
  type error;
};
template <class Error>
with_error(Error) -> with_error<Error>;

namespace detail {

template <class T, class Env>
struct environment_promise;

template <class Env>
struct start_scheduler_type_of : identity<task_scheduler> {};
template <class Env>
  requires requires { typename Env::start_scheduler_type; }
struct start_scheduler_type_of<Env> : identity<typename Env::start_scheduler_type> {};

template <class Env>
struct stop_source_type_of : identity<inplace_stop_source> {};
template <class Env>
  requires requires { typename Env::stop_source_type; }
struct stop_source_type_of<Env> : identity<typename Env::stop_source_type> {};

template <class Env>
struct error_types_of : identity<exception_signature> {};
template <class Env>
  requires requires { typename Env::error_types; }
struct error_types_of<Env> : identity<typename Env::error_types> {};

template <class Env>
struct allocator_type_of : identity<std::allocator<std::byte>> {};
template <class Env>
  requires requires { typename Env::allocator_type; }
struct allocator_type_of<Env> : identity<typename Env::allocator_type> {};

template <class Env>
struct task_traits {
  using allocator_type = typename allocator_type_of<Env>::type;
  using start_scheduler_type = typename start_scheduler_type_of<Env>::type;
  using stop_source_type = typename stop_source_type_of<Env>::type;
  using stop_token_type = decltype(std::declval<stop_source_type&>().get_token());
  using error_types = typename error_types_of<Env>::type;

  static_assert(scheduler<start_scheduler_type>,
                "execution::task<T, Env>: Env::start_scheduler_type is no scheduler");
  static_assert(is_signature_list<error_types> &&
                    std::is_same_v<signatures_of_tag<set_error_t, error_types>, error_types>,
                "execution::task<T, Env>: Env::error_types must be completion_signatures of errors "
                "(set_error_t(E)) only");
};

/// Where in a list the only error stands to which an `Error` can be converted.
template <class Error, class List>
struct error_for;
template <class Error, class... Errors>
struct error_for<Error, completion_signatures<set_error_t(Errors)...>> {
  static constexpr int num_fitting = (int{std::convertible_to<Error, Errors>} + ... + 0);
  static_assert(num_fitting == 1,
                "weft::execution::with_error: the error must be convertible to exactly one of "
                "Env::error_types");
  using list = joined_signatures<std::conditional_t<std::convertible_to<Error, Errors>,
                                                    completion_signatures<set_error_t(Errors)>,
                                                    completion_signatures<>>...>;
  using type = std::decay_t<typename sole_argument<list>::type>;
};

/// The operation of a task as its promise sees it.
template <class T, class Env>
struct task_state {
  using traits = task_traits<Env>;
  using error_types = typename traits::error_types;
  using kept_value = std::conditional_t<std::is_reference_v<T>,
                                        std::add_pointer_t<std::remove_reference_t<T>>,
                                        std::conditional_t<std::is_void_v<T>, std::tuple<>, T>>;

  task_state(const typename traits::start_scheduler_type& start, Env own)
      : scheduler(start), environment(std::move(own)) {}
  task_state(const task_state&) = delete;
  task_state& operator=(const task_state&) = delete;

  /// Completes with the value, or with the error if there is one; this may be gone afterwards.
  virtual void complete() noexcept = 0;
  virtual void stop() noexcept = 0;

  template <class Error>
  void keep_error(Error raised) {
    constexpr int index = index_of_kept<error_types, std::tuple<set_error_t, Error>>;
    static_assert(index >= 0, "execution::task<T, Env>: Env::error_types are plain types");
    error.keep(set_error_t(), std::move(raised));
    error_index = index;
  }

  typename traits::start_scheduler_type scheduler;
  [[no_unique_address]] Env environment;
  typename traits::stop_token_type token{};
  std::optional<kept_value> value;
  kept_completion<error_types> error;
  int error_index = -1;

 protected:
  ~task_state() = default;
};

/// The environment of what a task awaits.
template <class T, class Env>
struct awaited_env {
  using forwards_all = void;
  using traits = task_traits<Env>;

  [[nodiscard]] auto query(get_start_scheduler_t /*key*/) const noexcept {
    return promise->state->scheduler;
  }
  [[nodiscard]] auto query(get_scheduler_t /*key*/) const noexcept {
    return promise->state->scheduler;
  }
  [[nodiscard]] auto query(get_stop_token_t /*key*/) const noexcept {
    return promise->state->token;
  }
  [[nodiscard]] auto query(get_allocator_t /*key*/) const noexcept { return promise->allocator(); }
  template <forwarded_query Query, class... Args>
    requires answers<Env, Query, Args...>
  [[nodiscard]] decltype(auto) query(Query query, Args&&... args) const noexcept {
    return std::as_const(promise->state->environment).query(query, static_cast<Args&&>(args)...);
  }
  const environment_promise<T, Env>* promise;
};

template <class T, class Env>
struct environment_promise_base : frame_allocator<typename task_traits<Env>::allocator_type> {
  using traits = task_traits<Env>;
  using promise_type = environment_promise<T, Env>;

  struct at_end {
    static bool await_ready() noexcept { return false; }
    void await_suspend(std::coroutine_handle<promise_type> ended) const noexcept {
      ended.promise().state->complete();  // the frame may be gone now
    }
    static void await_resume() noexcept {}
  };

  using frame_allocator<typename traits::allocator_type>::frame_allocator;

  static std::suspend_always initial_suspend() noexcept { return {}; }
  static at_end final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept {
    if constexpr (num_signatures<
                      joined_signatures<typename traits::error_types, exception_signature>> ==
                  num_signatures<typename traits::error_types>) {
      state->value.reset();  // thrown after it, by the end of a local
      state->keep_error(std::current_exception());
    } else {
      std::terminate();  // as the draft says: Env::error_types has no place for exceptions
    }
  }
  std::coroutine_handle<> unhandled_stopped() noexcept {
    state->stop();
    return std::noop_coroutine();
  }

  template <class Error>
  auto yield_value(with_error<Error> wrong) {
    using kept = typename error_for<Error, typename traits::error_types>::type;
    state->keep_error(kept(std::move(wrong.error)));
    return at_end();
  }
  template <class Sender>
  decltype(auto) await_transform(Sender&& awaited) {
    static_assert(
        sender_in<Sender, awaited_env<T, Env>>,
        "execution::task<T, Env>: the awaited object is neither an awaitable nor a sender (can it "
        "only be moved? pass it by std::move)");
    auto& self = static_cast<promise_type&>(*this);
    if constexpr (std::same_as<typename traits::start_scheduler_type, inline_scheduler>) {
      return as_awaitable(static_cast<Sender&&>(awaited), self);
    } else {
      return as_awaitable(affine(static_cast<Sender&&>(awaited)), self);
    }
  }
  [[nodiscard]] awaited_env<T, Env> get_env() const noexcept {
    return {static_cast<const promise_type*>(this)};
  }

  task_state<T, Env>* state = nullptr;
};

template <class T, class Env>
struct environment_promise : environment_promise_base<T, Env> {
  using environment_promise_base<T, Env>::environment_promise_base;

  task<T, Env> get_return_object() noexcept {
    return task<T, Env>(std::coroutine_handle<environment_promise>::from_promise(*this));
  }
  template <class Value = T>
    requires std::convertible_to<Value, T> && (!std::is_reference_v<T>)
  void return_value(Value&& returned) {
    this->state->value.emplace(static_cast<Value&&>(returned));
  }
  void return_value(T returned)
    requires std::is_reference_v<T>
  {
    this->state->value.emplace(std::addressof(returned));
  }
};
template <class Env>
struct environment_promise<void, Env> : environment_promise_base<void, Env> {
  using environment_promise_base<void, Env>::environment_promise_base;

  task<void, Env> get_return_object() noexcept {
    return task<void, Env>(std::coroutine_handle<environment_promise>::from_promise(*this));
  }
  void return_void() noexcept {}
};

}  // namespace detail
}  // namespace weft::execution
