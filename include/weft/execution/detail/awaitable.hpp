// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Awaitables as senders: a small coroutine awaits them and completes a receiver.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/queries.hpp"

namespace weft::execution::detail {

template <class T>
concept has_awaiter_members = requires(T& awaiter) {
  awaiter.await_ready();
  awaiter.await_resume();
};

template <class T>
constexpr decltype(auto) awaiter_for(T&& awaited) {
  if constexpr (requires { static_cast<T&&>(awaited).operator co_await(); }) {
    return static_cast<T&&>(awaited).operator co_await();
  } else if constexpr (requires { operator co_await(static_cast<T&&>(awaited)); }) {
    return operator co_await(static_cast<T&&>(awaited));
  } else {
    return static_cast<T&&>(awaited);
  }
}

/// What any coroutine can await.
template <class T>
concept awaitable_anywhere = requires(T&& awaited) {
  { detail::awaiter_for(static_cast<T&&>(awaited)) } -> has_awaiter_members;
};

template <class T>
using await_result_t =
    decltype(std::declval<decltype(awaiter_for(std::declval<T>()))&>().await_resume());

template <class T>
consteval auto awaitable_signatures() {
  using result = await_result_t<T>;
  if constexpr (std::is_void_v<result>) {
    return completion_signatures<set_value_t(), set_error_t(std::exception_ptr), set_stopped_t()>();
  } else {
    return completion_signatures<set_value_t(result),
                                 set_error_t(std::exception_ptr),
                                 set_stopped_t()>();
  }
}

/// Memory of the calling worker's own blocks where the frame fits. Errors: std::bad_alloc.
[[nodiscard]] void* allocate_awaiting_frame(std::size_t bytes);
void free_awaiting_frame(void* frame, std::size_t bytes) noexcept;

/// The coroutine that awaits, as an operation.
template <class Receiver>
class awaiting_operation {
 public:
  using operation_state_concept = operation_state_tag;

  struct promise_type {
    template <class Awaitable>
    promise_type(Awaitable& /*awaited*/, Receiver& end) noexcept : to(end) {}
    static void* operator new(std::size_t bytes) { return allocate_awaiting_frame(bytes); }
    static void operator delete(void* frame, std::size_t bytes) noexcept {
      free_awaiting_frame(frame, bytes);
    }
    awaiting_operation get_return_object() noexcept {
      return awaiting_operation(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    [[noreturn]] static std::suspend_always final_suspend() noexcept { std::terminate(); }
    [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }
    [[noreturn]] static void return_void() noexcept { std::terminate(); }
    /// Called by what is awaited when it was stopped.
    std::coroutine_handle<> unhandled_stopped() noexcept {
      static_cast<Receiver&&>(to).set_stopped();
      return std::noop_coroutine();
    }
    [[nodiscard]] auto get_env() const noexcept { return execution::get_env(to); }
    Receiver& to;
  };

  awaiting_operation(const awaiting_operation&) = delete;
  awaiting_operation& operator=(const awaiting_operation&) = delete;
  ~awaiting_operation() { coroutine_.destroy(); }
  void start() noexcept { coroutine_.resume(); }

 private:
  explicit awaiting_operation(std::coroutine_handle<promise_type> fresh) noexcept
      : coroutine_(fresh) {}
  std::coroutine_handle<promise_type> coroutine_;
};

/// Completes from a suspended coroutine, which the completion may destroy.
template <class Complete>
struct completing_awaiter {
  explicit completing_awaiter(Complete& what) noexcept : complete(&what) {}
  static constexpr bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> /*self*/) noexcept { (*complete)(); }
  static void await_resume() noexcept {}
  Complete* complete;
};

template <class Awaitable, class Receiver>
awaiting_operation<Receiver> await_and_complete(Awaitable awaited, Receiver to) {
  std::exception_ptr error;
  try {
    if constexpr (std::is_void_v<await_result_t<Awaitable>>) {
      co_await static_cast<Awaitable&&>(awaited);
      auto finish = [&to]() noexcept { static_cast<Receiver&&>(to).set_value(); };
      co_await completing_awaiter(finish);
    } else {
      auto&& result = co_await static_cast<Awaitable&&>(awaited);
      auto finish = [&to, &result]() noexcept {
        static_cast<Receiver&&>(to).set_value(static_cast<decltype(result)>(result));
      };
      co_await completing_awaiter(finish);
    }
  } catch (...) {
    error = std::current_exception();
  }
  auto fail = [&to, &error]() noexcept { static_cast<Receiver&&>(to).set_error(std::move(error)); };
  co_await completing_awaiter(fail);
}

template <class Awaitable, class Receiver>
auto connect_awaitable(Awaitable&& awaited, Receiver&& to) {
  return await_and_complete<std::decay_t<Awaitable>, std::decay_t<Receiver>>(
      static_cast<Awaitable&&>(awaited), static_cast<Receiver&&>(to));
}

}  // namespace weft::execution::detail
