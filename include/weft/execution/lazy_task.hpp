// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks and senders: a task is a sender, and a task may await senders.
#pragma once

#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/as_awaitable.hpp"
#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/as_exception_ptr.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/runtime_scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/tasks/coroutine_interface.hpp"
#include "weft/tasks/future_interface.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::execution {

/// The exception for a stop in coroutines: `co_await sender` throws it if the sender was stopped. A
/// task that does not catch it, or an operation of one, ends stopped; a future of one holds it.
class operation_stopped : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override {
    return "weft: what was awaited was stopped";
  }
};

/// The requests of a receiver to the coroutines of one task operation.
struct task_environment {
  inplace_stop_token token;
};

namespace detail {

/// The single exception object of all stops; code that receives it knows that nothing failed.
[[nodiscard]] const std::exception_ptr& stopped_exception() noexcept;

/// The environment of senders that a task awaits.
struct env_in_task {
  [[nodiscard]] inplace_stop_token query(get_stop_token_t /*key*/) const noexcept {
    return told != nullptr ? told->token : inplace_stop_token();
  }
  [[nodiscard]] runtime_scheduler query(get_scheduler_t /*key*/) const noexcept {
    return runtime_scheduler(*home);
  }
  [[nodiscard]] runtime_scheduler query(get_start_scheduler_t /*key*/) const noexcept {
    return runtime_scheduler(*home);
  }
  const task_environment* told;
  tasks::scheduler* home;
};

/// The runtime of the calling task; the default one elsewhere.
[[nodiscard]] inline tasks::scheduler& scheduler_here() {
  tasks::scheduler* const here = tasks::scheduler_here();
  return here != nullptr ? *here : default_scheduler();
}

/// The result of a sender, and the work item that resumes the coroutine. If the result arrives on a
/// worker of the coroutine's runtime, the coroutine resumes at once. Otherwise it resumes as a task
/// of that runtime.
template <class Value>
class sent_to_task : public tasks::work_item {
 public:
  using stored = std::conditional_t<std::is_void_v<Value>, std::tuple<>, Value>;
  sent_to_task(tasks::scheduler& where, const task_environment* told) noexcept
      : tasks::work_item(&resume_it), environment{told, &where} {}

  /// True for the second of its two callers: the completion, and the end of `start`.
  bool is_second() noexcept {
    // acq_rel: shows the result to the coroutine
    return has_one_come.exchange(true, std::memory_order_acq_rel);
  }
  void go_on() noexcept {
    if (tasks::scheduler_here() == environment.home && !tasks::is_short_of_stack(*tasks::self())) {
      waiting.resume();
    } else {
      tasks::start_surely(environment.home, *this);
    }
  }

  env_in_task environment;
  std::optional<stored> value;
  std::exception_ptr error;
  std::coroutine_handle<> waiting;
  std::atomic<bool> has_one_come{false};

 private:
  static tasks::waiter* resume_it(tasks::work_item& t) noexcept {
    static_cast<sent_to_task&>(t).waiting.resume();
    return nullptr;
  }
};

template <class Value>
struct receiver_in_task {
  using receiver_concept = receiver_tag;
  template <class... Values>
  void set_value(Values&&... values) noexcept {
    try {
      owner->value.emplace(static_cast<Values&&>(values)...);
    } catch (...) {
      owner->error = std::current_exception();
    }
    complete();
  }
  template <class Error>
  void set_error(Error&& error) noexcept {
    owner->error = as_exception_ptr(static_cast<Error&&>(error));
    complete();
  }
  void set_stopped() noexcept {
    owner->error = stopped_exception();
    complete();
  }
  [[nodiscard]] env_in_task get_env() const noexcept { return owner->environment; }
  void complete() noexcept {
    if (owner->is_second()) {
      owner->go_on();
    }
  }
  sent_to_task<Value>* owner;
};

/// Lives in the frame of the task that awaits `Sender`.
template <class Sender>
class awaiter_in_task {
  using value_type = awaited_value_t<Sender, env_in_task>;
  using receiver = receiver_in_task<value_type>;

 public:
  awaiter_in_task(Sender&& source, tasks::coroutine_promise& promise)
      : promise_(&promise),
        state_(scheduler_here(), promise.environment),
        operation_(connect(static_cast<Sender&&>(source), receiver{&state_})) {}
  awaiter_in_task(const awaiter_in_task&) = delete;
  awaiter_in_task& operator=(const awaiter_in_task&) = delete;
  ~awaiter_in_task() = default;

  static constexpr bool await_ready() noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiting) noexcept {
    state_.waiting = waiting;
    tasks::detail::detach(promise_);
    operation_.start();
    return !state_.is_second();
  }
  value_type await_resume() {
    if (state_.error != nullptr) {
      std::rethrow_exception(std::move(state_.error));
    }
    if constexpr (!std::is_void_v<value_type>) {
      return *std::move(state_.value);  // NOLINT(bugprone-unchecked-optional-access): it was sent
    }
  }

 private:
  tasks::coroutine_promise* promise_;
  sent_to_task<value_type> state_;
  connect_result_t<Sender, receiver> operation_;
};

}  // namespace detail

/// `co_await sender` in a `weft::lazy_task` returns the values that the sender sends: nothing, a
/// value, or a tuple of several. It throws the sender's error, or `operation_stopped`. The task
/// resumes in the runtime in which it waited.
/// Example: tests/execution/lazy_task_test.cpp: awaits_senders.
struct await_in_task_t {
  template <class Sender>
  auto operator()(Sender&& source, tasks::coroutine_promise& promise) const {
    static_assert(sender_in<Sender, detail::env_in_task>,
                  "weft::lazy_task: the awaited object is neither an awaitable nor a sender (can "
                  "it "
                  "only be moved? pass it by std::move)");
    return detail::awaiter_in_task<Sender>(static_cast<Sender&&>(source), promise);
  }
};

/// The ways in which a task that is a sender ends.
template <class T, class Sender>
struct task_completions {
  static_assert(!std::is_lvalue_reference_v<Sender>,
                "weft::lazy_task: it can be connected once only; pass it by std::move");
  static consteval auto get() {
    if constexpr (std::is_void_v<T>) {
      return completion_signatures<set_value_t(),
                                   set_error_t(std::exception_ptr),
                                   set_stopped_t()>();
    } else {
      return completion_signatures<set_value_t(T),
                                   set_error_t(std::exception_ptr),
                                   set_stopped_t()>();
    }
  }
};

/// A task with its receiver: `start` runs it as a call on a worker, else as a task of the default
/// runtime. A stop request of the receiver's token reaches the senders that the task awaits.
template <class T, class Receiver>
class lazy_task_operation : tasks::detail::completion {
  using token_type = stop_token_of_t<env_of_t<Receiver>>;
  struct pass_on {
    void operator()() const noexcept { source->request_stop(); }
    inplace_stop_source* source;
  };
  /// Of a token of another type: a source of our own follows it.
  struct follower {
    inplace_stop_source source;
    std::optional<stop_callback_for_t<token_type, pass_on>> callback;
  };
  struct nothing {};
  static constexpr bool follows =
      !unstoppable_token<token_type> && !std::same_as<token_type, inplace_stop_token>;

 public:
  using operation_state_concept = operation_state_tag;
  lazy_task_operation(weft::lazy_task<T>&& work, Receiver&& to) noexcept
      : completion(&complete_it), work_(std::move(work)), to_(std::move(to)) {}
  lazy_task_operation(const lazy_task_operation&) = delete;
  lazy_task_operation& operator=(const lazy_task_operation&) = delete;
  ~lazy_task_operation() = default;

  void start() noexcept {
    tell();
    const tasks::coroutine fresh = tasks::detail::release(work_);
    tasks::coroutine_promise& promise = fresh.promise();
    promise.result = &result_;
    promise.after = tasks::detail::successor(static_cast<completion&>(*this));
    promise.environment = &environment_;
    const tasks::worker* const w = tasks::self();
    if (w == nullptr || tasks::is_short_of_stack(*w)) {
      tasks::detail::start_later(fresh);
      return;
    }
    tasks::detail::nested_call call{nullptr};
    tasks::detail::run_nested(fresh, call);
    if (call.is_done) {
      complete_it(*this);
    }
  }

 private:
  void tell() noexcept {
    if constexpr (std::same_as<token_type, inplace_stop_token>) {
      environment_.token = get_stop_token(execution::get_env(to_));
    } else if constexpr (follows) {
      environment_.token = follower_.source.get_token();
      follower_.callback.emplace(get_stop_token(execution::get_env(to_)),
                                 pass_on{&follower_.source});
    }
  }
  static void complete_it(completion& end) noexcept {
    auto& me = static_cast<lazy_task_operation&>(end);
    if constexpr (follows) {
      me.follower_.callback.reset();
    }
    if (me.result_.has_failed()) {
      if (me.result_.error() == detail::stopped_exception()) {
        std::move(me.to_).set_stopped();
      } else {
        std::move(me.to_).set_error(std::exception_ptr(me.result_.error()));
      }
    } else if constexpr (std::is_void_v<T>) {
      std::move(me.to_).set_value();
    } else {
      std::move(me.to_).set_value(std::move(me.result_).value());
    }
  }

  weft::lazy_task<T> work_;  // until it starts
  Receiver to_;
  tasks::outcome<T> result_;
  task_environment environment_;
  [[no_unique_address]] std::conditional_t<follows, follower, nothing> follower_;
};

}  // namespace weft::execution
