// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coroutines that return a `future` or a `shared_future`.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/futures/coroutine_promise.hpp"
#include "weft/tasks/detail/futures/future_access.hpp"
#include "weft/tasks/detail/futures/future_block.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/shared_future.hpp"

namespace weft::tasks::detail {

/// The coroutine's frame is the state of its future: the one that ends last frees it.
template <class T>
struct eager_promise_base : result_state<T> {
  eager_promise_base() noexcept : result_state<T>(nullptr, calls) {}

  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { free_frame(frame, bytes); }

  std::suspend_never initial_suspend() const noexcept { return {}; }

  struct at_end {
    static bool await_ready() noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      eager_promise_base& me = ended.promise();
      finish_and_resume(me, me.outcome);  // the frame may be gone now
    }
    static void await_resume() noexcept {}
  };
  at_end final_suspend() const noexcept { return {}; }

  void unhandled_exception() noexcept {
    if (outcome == task::finished) {  // thrown after the value, by the end of a local
      std::destroy_at(std::addressof(this->value));
    }
    outcome = this->fail(std::current_exception());
  }

  std::uintptr_t outcome = task::pending;
  std::coroutine_handle<> frame;

 private:
  static future_state* drop(future_state& state) noexcept {
    auto& me = static_cast<eager_promise_base&>(static_cast<result_state<T>&>(state));
    me.destroy_result();
    me.frame.destroy();
    return nullptr;
  }
  static constexpr typename result_state<T>::typed_operations calls{{drop}, nullptr};
};

template <class T>
struct eager_promise_of : eager_promise_base<T> {
  template <class Value = T>
    requires std::convertible_to<Value, T> && (!std::is_reference_v<T>)
  void return_value(Value&& returned) {
    this->outcome = this->emplace(std::forward<Value>(returned));
  }
  void return_value(T returned)
    requires std::is_reference_v<T>
  {
    this->outcome = this->emplace(std::addressof(returned));
  }
};
template <>
struct eager_promise_of<void> : eager_promise_base<void> {
  void return_void() noexcept { outcome = emplace(); }
};

template <class Future>
struct eager_promise : eager_promise_of<typename Future::value_type> {
  Future get_return_object() {
    this->frame = std::coroutine_handle<eager_promise>::from_promise(*this);
    return future_access::make<typename Future::value_type>(this);
  }
};

}  // namespace weft::tasks::detail

/// A function that returns a `weft::future` may be a coroutine. It runs at once, as part of its
/// caller, until it first waits. Its result or exception goes to the future. It continues even if
/// the future is destroyed.
///
/// Prefer `weft::lazy_task`: it costs less, starts when it is awaited, and can be cancelled.
/// Cost:    one frame, which is the future's state, too.
/// Example: tests/tasks/coroutine_future_test.cpp: runs_at_once_until_it_waits
template <class T, class... Args>
struct std::coroutine_traits<weft::future<T>, Args...> {
  using promise_type = weft::tasks::detail::eager_promise<weft::future<T>>;
};
template <class T, class... Args>
struct std::coroutine_traits<weft::shared_future<T>, Args...> {
  using promise_type = weft::tasks::detail::eager_promise<weft::shared_future<T>>;
};
