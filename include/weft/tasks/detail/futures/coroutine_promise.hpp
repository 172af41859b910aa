// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common parts of every weft coroutine: how it runs and ends, and the memory of its frame.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/futures/coroutine_outcome.hpp"
#include "weft/tasks/detail/scheduler/block_cache.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"

namespace weft::execution {
/// Makes an awaiter of a sender; see weft/execution/lazy_task.hpp.
struct await_in_task_t;
/// Data of a chain of coroutines that await each other, given by the code that waits for the first
/// one.
struct task_environment;
}  // namespace weft::execution

namespace weft::tasks::detail {

struct coroutine_promise;
using coroutine = std::coroutine_handle<coroutine_promise>;

/// A coroutine that runs as a call from its awaiter's `await_suspend`, on the same stack.
///
/// While the coroutines of a chain await each other without a suspension, they are plain nested
/// calls. The processor predicts their returns, nothing is published, and the stack does not grow
/// with their number. If one has to wait, or is stolen, the chain is *detached*: each member will
/// end by resuming its awaiter, and all those calls return.
///
/// Threads: a chain is read and written only by code on the stack it runs on.
struct nested_call {
  coroutine_promise* caller;  // null: not a weft coroutine, or not on this stack
  bool is_done = false;
};

/// The last step of a coroutine without an awaiter.
struct completion {
  using run_function = void (*)(completion& me) noexcept;
  explicit completion(run_function body) noexcept : run(body) {}

  run_function run;  // `me` may no longer exist afterwards
};

class fork_state;

/// The coroutine that a detached coroutine resumes at its end.
class successor {
 public:
  enum class kind : std::uint8_t { awaiter, completion, fork, fork_of_last };

  successor() = default;
  explicit successor(std::coroutine_handle<> awaiter) noexcept
      : successor(awaiter.address(), kind::awaiter) {}
  explicit successor(completion& end) noexcept : successor(&end, kind::completion) {}
  successor(fork_state& parent, bool is_last) noexcept
      : successor(&parent, is_last ? kind::fork_of_last : kind::fork) {}

  [[nodiscard]] bool is_awaiter() const noexcept { return kind_of() == kind::awaiter; }

  /// Notifies the successor of the end, and returns the coroutine to resume. Without room on the
  /// stack, a fork's parent is queued instead.
  [[nodiscard]] std::coroutine_handle<> next(bool has_room = true) const noexcept;

 private:
  successor(void* target, kind what) noexcept
      : bits_(reinterpret_cast<std::uintptr_t>(target) | static_cast<std::uintptr_t>(what)) {}

  [[nodiscard]] kind kind_of() const noexcept { return static_cast<kind>(bits_ & kind_bits); }

  static constexpr std::uintptr_t kind_bits = 3;
  std::uintptr_t bits_;
};

/// Resumes a coroutine from the base of a worker's stack. First destroys the coroutine that has
/// ended, if any, in whose frame this object lies.
struct queued_resume : task {
  struct pair {
    std::coroutine_handle<> next;
    std::coroutine_handle<> ended;
  };
  queued_resume(std::coroutine_handle<> who, std::coroutine_handle<> ended) noexcept
      : task(resume_it), what{who, ended} {}
  pair what;

 private:
  static waiter* resume_it(task& t) noexcept;
};

/// Makes `last`, and the chain of nested calls that it ends, finish by resuming their awaiters.
/// Call it before another thread can resume `last`. Null: does nothing.
void detach(coroutine_promise* last) noexcept;

/// Queues `t` in the current runtime; never fails.
void queue_surely(task& t) noexcept;

/// Ends a detached coroutine: destroys its frame and returns the coroutine to resume.
std::coroutine_handle<> end_detached(coroutine ended) noexcept;

/// Starts `fresh` from the base of a worker's stack. Call it if the current stack has no room, or the
/// calling thread is not a worker.
void start_later(coroutine fresh) noexcept;

/// Allocates a frame from the calling worker's blocks, because compilers elide hardly any.
/// Errors:  std::bad_alloc.
[[gnu::always_inline]] inline void* allocate_frame(std::size_t bytes) {
  if (bytes > block_cache::max_bytes) [[unlikely]] {
    return ::operator new(bytes);
  }
  worker* w = self();
  const std::size_t index = block_cache::size_index(bytes);
  return w != nullptr ? w->blocks.take(index) : block_cache::from_heap(index);
}

[[gnu::always_inline]] inline void free_frame(void* frame, std::size_t bytes) noexcept {
  if (bytes > block_cache::max_bytes) [[unlikely]] {
    ::operator delete(frame);
    return;
  }
  worker* w = self();
  const std::size_t index = block_cache::size_index(bytes);
  if (w != nullptr) [[likely]] {
    w->blocks.give(frame, index);
  } else {
    block_cache::to_heap(frame, index);
  }
}

template <class Awaitable>
decltype(auto) awaiter_of(Awaitable&& awaited) {
  if constexpr (requires { std::forward<Awaitable>(awaited).operator co_await(); }) {
    return std::forward<Awaitable>(awaited).operator co_await();
  } else if constexpr (requires { operator co_await(std::forward<Awaitable>(awaited)); }) {
    return operator co_await(std::forward<Awaitable>(awaited));
  } else {
    return std::forward<Awaitable>(awaited);
  }
}

/// Awaits an object that is not one of weft's coroutines. Detaches the chain before another thread
/// can resume it.
template <class Awaitable>
struct detaching_awaiter {
  explicit detaching_awaiter(Awaitable&& awaited)
      : inner(awaiter_of(std::forward<Awaitable>(awaited))) {}

  bool await_ready() { return inner.await_ready(); }
  template <class Promise>
  auto await_suspend(std::coroutine_handle<Promise> waiting) {
    detach(std::addressof(waiting.promise()));
    return inner.await_suspend(waiting);
  }
  decltype(auto) await_resume() { return inner.await_resume(); }

  decltype(awaiter_of(std::declval<Awaitable>())) inner;
};

/// Types that the language can await directly.
template <class T>
concept has_awaiter = requires(T&& awaited) { std::forward<T>(awaited).operator co_await(); } ||
                      requires(T&& awaited) { operator co_await(std::forward<T>(awaited)); } ||
                      requires(T& awaiter) { awaiter.await_ready(); };

/// Awaitables that detach the chain themselves when necessary.
template <class Awaitable>
concept detaches_itself = requires { typename std::remove_cvref_t<Awaitable>::detaches_itself; };

struct final_awaiter {
  coroutine_promise& promise;

  /// True: the frame is destroyed, and the call from the awaiter returns.
  [[gnu::always_inline]] bool await_ready() const noexcept;
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
    return end_detached(coroutine::from_address(ended.address()));
  }
  void await_resume() const noexcept {}
};

struct coroutine_promise {
  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { free_frame(frame, bytes); }

  std::suspend_always initial_suspend() const noexcept { return {}; }
  final_awaiter final_suspend() noexcept { return {*this}; }

  template <class Awaitable>
  decltype(auto) await_transform(Awaitable&& awaited) {
    if constexpr (detaches_itself<Awaitable>) {
      return std::forward<Awaitable>(awaited).operator co_await();
    } else if constexpr (has_awaiter<Awaitable>) {
      return detaching_awaiter<Awaitable>(std::forward<Awaitable>(awaited));
    } else {
      using from_sender =
          typename std::enable_if<!std::is_void_v<Awaitable>, execution::await_in_task_t>::type;
      static_assert(
          requires { sizeof(from_sender); },
          "weft::lazy_task: the awaited object is not an awaitable; if it is a sender, include "
          "weft/execution/lazy_task.hpp; if it can only be moved, pass it by std::move");
      return from_sender{}(std::forward<Awaitable>(awaited), *this);
    }
  }

  nested_call* call = nullptr;  // null: not started, or detached
  successor after;
  const execution::task_environment* environment = nullptr;
  void* result = nullptr;  // outcome<T>*
  // Constructed when the coroutine is queued, which is rare.
  alignas(queued_resume) std::byte queued[sizeof(queued_resume)];
};

inline bool final_awaiter::await_ready() const noexcept {
  nested_call* call = promise.call;
  if (call == nullptr) [[unlikely]] {
    return false;
  }
  call->is_done = true;
  return true;
}

/// Adds the parts that depend on the result's type. It has no state, so all promises have one
/// layout.
template <class T>
struct promise_of : coroutine_promise {
  void unhandled_exception() noexcept { to().set_error(std::current_exception()); }

  template <class Value = T>
    requires std::convertible_to<Value, T> && (!std::is_reference_v<T>)
  void return_value(Value&& value) {
    to().set_value(std::forward<Value>(value));
  }
  void return_value(T value)
    requires std::is_reference_v<T>
  {
    to().set_value(std::addressof(value));
  }

 protected:
  outcome<T>& to() noexcept { return *static_cast<outcome<T>*>(this->result); }
};

template <>
struct promise_of<void> : coroutine_promise {
  void unhandled_exception() noexcept {
    static_cast<outcome<void>*>(result)->set_error(std::current_exception());
  }
  void return_void() noexcept {}
};

/// The promise of `awaiting` if it is a weft coroutine.
template <class Promise>
coroutine_promise* promise_if_ours(std::coroutine_handle<Promise> awaiting) noexcept {
  if constexpr (std::derived_from<Promise, coroutine_promise>) {
    return std::addressof(awaiting.promise());
  } else {
    return nullptr;
  }
}

/// Runs `fresh` as a nested call. Afterwards `call.is_done` says whether it has ended. If not, it
/// and its awaiter may be running elsewhere.
[[gnu::always_inline]] inline void run_nested(coroutine fresh, nested_call& call) {
  fresh.promise().call = &call;
  fresh.resume();
}

}  // namespace weft::tasks::detail
