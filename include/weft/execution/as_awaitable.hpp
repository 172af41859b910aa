// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Senders in coroutines: `co_await sender` gives what the sender sends.
#pragma once

#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/as_exception_ptr.hpp"
#include "weft/execution/detail/awaitable.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::execution {
namespace detail {

/// What `co_await` of a sender of these values gives: nothing, the value, or a tuple of them.
template <class List>
struct awaited_value;
template <>
struct awaited_value<completion_signatures<>> : identity<void> {};
template <>
struct awaited_value<completion_signatures<set_value_t()>> : identity<void> {};
template <class Value>
struct awaited_value<completion_signatures<set_value_t(Value)>> : identity<std::decay_t<Value>> {};
template <class First, class Second, class... Rest>
struct awaited_value<completion_signatures<set_value_t(First, Second, Rest...)>>
    : identity<std::tuple<std::decay_t<First>, std::decay_t<Second>, std::decay_t<Rest>...>> {};

template <class Sender, class Env>
using awaited_value_t = typename awaited_value<
    signatures_of_tag<set_value_t, completion_signatures_of_t<Sender, Env>>>::type;

template <class Sender, class Promise>
concept awaitable_sender = sender_in<Sender, env_of_t<Promise>> && requires(Promise& promise) {
  typename awaited_value_t<Sender, env_of_t<Promise>>;
  { promise.unhandled_stopped() } -> std::convertible_to<std::coroutine_handle<>>;
};

/// The result of a sender for the coroutine that awaits it.
///
/// A completion during `start`, on the same stack, leaves it to the caller of `start` to continue
/// the coroutine. So a loop over senders that complete at once uses no stack. Any other completion
/// resumes the coroutine itself, on its own thread, after `start` has returned.
template <class Value>
struct awaited_state {
  using stored = std::conditional_t<std::is_void_v<Value>, std::tuple<>, Value>;
  enum class stage : std::uint8_t { starting, suspended, completed };

  /// Before `start`, by its caller.
  void begin_start() noexcept {
    starting_thread = std::this_thread::get_id();
    starting_at = tasks::stack_position();
  }
  /// After `start`. False if the operation has completed on this stack; if true, another thread may
  /// have destroyed the coroutine.
  bool end_start() noexcept {
    if (at.load(std::memory_order_relaxed) == stage::completed) {
      return false;
    }
    at.store(stage::suspended, std::memory_order_release);  // shows the coroutine to its resumer
    return true;
  }

  void complete() noexcept {
    if (at.load(std::memory_order_acquire) == stage::starting) {
      if (is_inside_start()) {
        at.store(stage::completed, std::memory_order_relaxed);
        return;
      }
      wait_for_start();
    }
    go_on();
  }
  /// True if the caller of `start` is below on the calling stack.
  [[nodiscard]] bool is_inside_start() const noexcept {
    const tasks::worker* const w = tasks::self();
    if (w == nullptr || tasks::is_visitor(*w)) {
      return starting_thread == std::this_thread::get_id();
    }
    const auto [low, high] = tasks::current_stack();
    return std::less_equal<>()(low, starting_at) && std::less<>()(starting_at, high);
  }
  /// Only returning is left to `start`: an operation completes after its children.
  void wait_for_start() const noexcept {
    constexpr int spins_before_yield = 128;
    for (int spins = 1; at.load(std::memory_order_acquire) == stage::starting; ++spins) {
      if (spins % spins_before_yield == 0) {
        std::this_thread::yield();
      } else {
        tasks::spin_pause();
      }
    }
  }
  void go_on() noexcept {
    if (is_stopped) {
      on_stopped(continuation.address()).resume();
    } else {
      continuation.resume();
    }
  }

  std::optional<stored> value;
  std::exception_ptr error;
  std::coroutine_handle<> continuation;
  std::coroutine_handle<> (*on_stopped)(void* coroutine) noexcept = nullptr;
  std::thread::id starting_thread;
  const void* starting_at = nullptr;
  bool is_stopped = false;
  std::atomic<stage> at{stage::starting};
};

template <class Value, class Promise>
struct awaiting_receiver {
  using receiver_concept = receiver_tag;
  using state = awaited_state<Value>;
  template <class... Values>
  void set_value(Values&&... values) noexcept {
    try {
      owner->value.emplace(static_cast<Values&&>(values)...);
    } catch (...) {
      owner->error = std::current_exception();
    }
    owner->complete();
  }
  template <class Error>
  void set_error(Error&& error) noexcept {
    owner->error = as_exception_ptr(static_cast<Error&&>(error));
    owner->complete();
  }
  void set_stopped() noexcept {
    owner->is_stopped = true;
    owner->complete();
  }
  [[nodiscard]] env_of_t<Promise> get_env() const noexcept {
    return execution::get_env(
        std::coroutine_handle<Promise>::from_address(owner->continuation.address()).promise());
  }
  state* owner;
};

template <class Sender, class Promise>
class sender_awaiter {
  using value_type = awaited_value_t<Sender, env_of_t<Promise>>;
  using state = awaited_state<value_type>;
  using receiver = awaiting_receiver<value_type, Promise>;

 public:
  sender_awaiter(Sender&& source, Promise& promise)
      : operation_((prepare(promise), connect(static_cast<Sender&&>(source), receiver{&state_}))) {}
  sender_awaiter(const sender_awaiter&) = delete;
  sender_awaiter& operator=(const sender_awaiter&) = delete;
  ~sender_awaiter() = default;

  static constexpr bool await_ready() noexcept { return false; }
  bool await_suspend(std::coroutine_handle<Promise> /*waiting*/) noexcept {
    state_.begin_start();
    operation_.start();
    if (state_.end_start()) {
      return true;
    }
    if (state_.is_stopped) {
      state_.go_on();
      return true;
    }
    return false;
  }
  value_type await_resume() {
    if (state_.error) {
      std::rethrow_exception(std::move(state_.error));
    }
    if constexpr (!std::is_void_v<value_type>) {
      return *std::move(state_.value);  // NOLINT(bugprone-unchecked-optional-access): it was sent
    }
  }

 private:
  void prepare(Promise& promise) noexcept {
    state_.continuation = std::coroutine_handle<Promise>::from_promise(promise);
    state_.on_stopped = [](void* coroutine) noexcept -> std::coroutine_handle<> {
      return std::coroutine_handle<Promise>::from_address(coroutine).promise().unhandled_stopped();
    };
  }

  state state_;
  connect_result_t<Sender, receiver> operation_;
};

/// A sender that is to be adapted before a coroutine awaits it; not what comes out of that.
template <class Sender>
concept adapts_for_await = sender<Sender> && requires(Sender&& s) {
  get_await_completion_adaptor(get_env(s))(static_cast<Sender&&>(s));
};

}  // namespace detail

/// The object that a coroutine with promise `promise` awaits instead of `object`.
///
/// It is the result of `object.as_awaitable(promise)` if there is one, `object` itself if it is an
/// awaitable, or an awaiter for a sender.
/// Threads: the thread that completes the sender resumes the coroutine, unless the coroutine's type
///          brings it back to its scheduler, as `task` does.
/// Errors:  `co_await` of a sender throws its error; a stop ends the coroutine by the promise's
///          `unhandled_stopped()`.
/// Example: tests/execution/conversions_test.cpp: a_sender_is_awaited.
struct as_awaitable_t {
  template <class T, class Promise>
  decltype(auto) operator()(T&& object, Promise& promise) const {
    if constexpr (requires { static_cast<T&&>(object).as_awaitable(promise); }) {
      return static_cast<T&&>(object).as_awaitable(promise);
    } else if constexpr (detail::adapts_for_await<T>) {
      return (*this)(get_await_completion_adaptor(get_env(object))(static_cast<T&&>(object)),
                     promise);
    } else if constexpr (!detail::awaitable_anywhere<T> && detail::awaitable_sender<T, Promise>) {
      return detail::sender_awaiter<T, Promise>(static_cast<T&&>(object), promise);
    } else {
      return static_cast<T&&>(object);
    }
  }
};
inline constexpr as_awaitable_t as_awaitable{};

/// The base of promises whose coroutines may await senders.
template <class Promise>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): as in the draft
class with_awaitable_senders {
 public:
  template <class OtherPromise>
  void set_continuation(std::coroutine_handle<OtherPromise> waiting) noexcept {
    static_assert(!std::is_void_v<OtherPromise>);
    continuation_ = waiting;
    if constexpr (requires(OtherPromise& other) { other.unhandled_stopped(); }) {
      on_stopped_ = [](void* coroutine) noexcept -> std::coroutine_handle<> {
        return std::coroutine_handle<OtherPromise>::from_address(coroutine)
            .promise()
            .unhandled_stopped();
      };
    } else {
      on_stopped_ = &terminate_stopped;
    }
  }
  [[nodiscard]] std::coroutine_handle<> continuation() const noexcept { return continuation_; }
  std::coroutine_handle<> unhandled_stopped() noexcept {
    return on_stopped_(continuation_.address());
  }
  template <class T>
  decltype(auto) await_transform(T&& object) {
    return as_awaitable(static_cast<T&&>(object), static_cast<Promise&>(*this));
  }

 private:
  [[noreturn]] static std::coroutine_handle<> terminate_stopped(void* /*coroutine*/) noexcept {
    std::terminate();
  }
  std::coroutine_handle<> continuation_;
  std::coroutine_handle<> (*on_stopped_)(void* coroutine) noexcept = &terminate_stopped;
};

}  // namespace weft::execution
