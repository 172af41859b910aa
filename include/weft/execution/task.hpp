// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with an environment of their own: the C++26 draft's `task<T, Environment>`.
#pragma once

#include <concepts>
#include <coroutine>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/environment_promise.hpp"  // IWYU pragma: export
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/tasks/lazy_task.hpp"

namespace weft::execution::detail {

/// The source of an environment: its `env_type<Outer>` if it has one, else nothing.
template <class Env, class Outer>
struct own_env_of : identity<env<>> {};
template <class Env, class Outer>
  requires requires { typename Env::template env_type<Outer>; }
struct own_env_of<Env, Outer> : identity<typename Env::template env_type<Outer>> {};

template <class Own, class Outer>
Own make_own_env(const Outer& outer) {
  if constexpr (std::constructible_from<Own, const Outer&>) {
    return Own(outer);
  } else {
    static_assert(std::default_initializable<Own>,
                  "execution::task<T, Env>: Env::env_type can be made neither of the receiver's "
                  "environment nor of nothing");
    return Own();
  }
}

template <class Env, class Own, class Outer>
Env make_env(const Own& own, const Outer& outer) {
  if constexpr (std::constructible_from<Env, const Own&>) {
    return Env(own);
  } else if constexpr (std::constructible_from<Env, const Outer&>) {
    return Env(outer);
  } else {
    static_assert(
        std::default_initializable<Env>,
        "execution::task<T, Env>: Env can be made neither of the receiver's environment nor "
        "of nothing");
    return Env();
  }
}

template <class Scheduler, class Outer>
Scheduler make_start_scheduler(const Outer& outer) {
  if constexpr (std::is_invocable_v<get_start_scheduler_t, const Outer&>) {
    if constexpr (std::constructible_from<
                      Scheduler,
                      std::invoke_result_t<get_start_scheduler_t, const Outer&>>) {
      return Scheduler(get_start_scheduler(outer));
    } else {
      return Scheduler();
    }
  } else {
    static_assert(
        std::default_initializable<Scheduler>,
        "execution::task<T, Env>: the receiver's environment does not say where the task is "
        "started (get_start_scheduler); start it by starts_on, or give Env a "
        "start_scheduler_type that needs nothing, such as inline_scheduler");
    return Scheduler();
  }
}

/// The part that is made before the environment, which may refer to it.
template <class Own>
struct own_env_holder {
  Own own;
};

/// A task with its receiver: `start` runs it until it waits for something.
template <class T, class Env, class Receiver>
class task_operation final
    : own_env_holder<typename own_env_of<Env, std::remove_cvref_t<env_of_t<Receiver>>>::type>,
      public task_state<T, Env> {
  using traits = task_traits<Env>;
  using outer_env = std::remove_cvref_t<env_of_t<Receiver>>;
  using own_env = typename own_env_of<Env, outer_env>::type;
  using outer_token = stop_token_of_t<outer_env>;
  using token_type = typename traits::stop_token_type;
  struct pass_on {
    void operator()() const noexcept { source->request_stop(); }
    typename traits::stop_source_type* source;
  };
  /// Of a token of another type: a source of our own follows it.
  struct follower {
    typename traits::stop_source_type source;
    std::optional<stop_callback_for_t<outer_token, pass_on>> callback;
  };
  struct nothing {};
  static constexpr bool is_same_token = std::same_as<outer_token, token_type>;
  static constexpr bool follows = !unstoppable_token<outer_token> && !is_same_token;

 public:
  using operation_state_concept = operation_state_tag;
  using promise_type = typename task<T, Env>::promise_type;

  /// Errors: what making the environment or the scheduler throws; `from` keeps its coroutine then.
  task_operation(task<T, Env>&& from, Receiver&& end)
      : own_env_holder<own_env>{make_own_env<own_env>(execution::get_env(end))},
        task_state<T, Env>(
            make_start_scheduler<typename traits::start_scheduler_type>(execution::get_env(end)),
            make_env<Env>(this->own, execution::get_env(end))),
        work_(std::exchange(from.coroutine_, nullptr)),
        to_(static_cast<Receiver&&>(end)) {}
  task_operation(const task_operation&) = delete;
  task_operation& operator=(const task_operation&) = delete;
  ~task_operation() { work_.destroy(); }

  void start() noexcept {
    if constexpr (is_same_token) {
      this->token = get_stop_token(execution::get_env(to_));
    } else if constexpr (follows) {
      this->token = follower_.source.get_token();
      follower_.callback.emplace(get_stop_token(execution::get_env(to_)),
                                 pass_on{&follower_.source});
    }
    work_.promise().state = this;
    work_.resume();
  }

 private:
  void complete() noexcept override {
    leave();
    if (this->error_index >= 0) {
      this->error.send_as(this->error_index, static_cast<Receiver&&>(to_));
    } else if constexpr (std::is_void_v<T>) {
      static_cast<Receiver&&>(to_).set_value();
    } else if constexpr (std::is_reference_v<T>) {
      static_cast<Receiver&&>(to_).set_value(static_cast<T>(**this->value));
    } else {
      static_cast<Receiver&&>(to_).set_value(*std::move(this->value));
    }
  }
  void stop() noexcept override {
    leave();
    static_cast<Receiver&&>(to_).set_stopped();
  }
  void leave() noexcept {
    if constexpr (follows) {
      follower_.callback.reset();
    }
  }

  std::coroutine_handle<promise_type> work_;
  [[no_unique_address]] Receiver to_;
  [[no_unique_address]] std::conditional_t<follows, follower, nothing> follower_;
};

}  // namespace weft::execution::detail

namespace weft::execution {

/// The C++26 draft's coroutine that is a sender.
///
/// It starts where `start` is called, and returns to that scheduler after each `co_await`. It ends
/// stopped if an awaited operation is stopped. It fails by an exception or by
/// `co_yield with_error(e)`.
///
/// `Env` may name `start_scheduler_type`, `stop_source_type`, `error_types` and `allocator_type`.
/// It answers all other queries of awaited operations. An object of it is made from the receiver's
/// environment if possible.
/// Cost:    the frame, from the worker's own blocks, and a `schedule` after each `co_await` of what
///          may complete elsewhere. `weft::lazy_task<T>` costs less: it is not tied to one scheduler.
/// Source:  C++26 working draft, [exec.task]
/// Example: tests/execution/task_test.cpp: comes_back_to_where_it_was_started.
template <class T, class Env>
class [[nodiscard]] task {
  using traits = detail::task_traits<Env>;

 public:
  using sender_concept = sender_tag;
  using allocator_type = typename traits::allocator_type;
  using start_scheduler_type = typename traits::start_scheduler_type;
  using stop_source_type = typename traits::stop_source_type;
  using stop_token_type = typename traits::stop_token_type;
  using error_types = typename traits::error_types;
  using promise_type = detail::environment_promise<T, Env>;

  task(task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  task& operator=(task&& other) noexcept {
    task old(std::move(*this));
    coroutine_ = std::exchange(other.coroutine_, nullptr);
    return *this;
  }
  ~task() {
    if (coroutine_ != nullptr) {
      coroutine_.destroy();
    }
  }

  template <class Self, class... Outer>
  static consteval auto get_completion_signatures() {
    static_assert(!std::is_lvalue_reference_v<Self>,
                  "execution::task: it can be connected once only; pass it by std::move");
    return detail::joined_signatures<typename detail::value_signature<T>::type,
                                     error_types,
                                     completion_signatures<set_stopped_t()>>();
  }
  template <class Receiver>
  auto connect(Receiver to) && {
    return detail::task_operation<T, Env, Receiver>(std::move(*this), static_cast<Receiver&&>(to));
  }

 private:
  friend promise_type;
  template <class, class, class>
  friend class detail::task_operation;
  explicit task(std::coroutine_handle<promise_type> fresh) noexcept : coroutine_(fresh) {}

  std::coroutine_handle<promise_type> coroutine_;
};

}  // namespace weft::execution
