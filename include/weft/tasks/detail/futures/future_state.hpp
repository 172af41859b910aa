// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that a future and its producer share: a word with its progress and its waiters.
#pragma once

#include <atomic>
#include <cstdint>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/launch.hpp"

namespace weft::tasks::detail {

struct future_state;
class completions;

/// An action that runs when a state is final. It belongs to the code that attached it, or to
/// itself.
struct dependent {
  using notify_function = void (*)(dependent& me, completions& all) noexcept;
  explicit dependent(notify_function call) noexcept : notify(call) {}

  notify_function notify;
  dependent* next = nullptr;
};

/// Runs the continuations of one completion one after the other. So a chain of continuations that
/// run at once takes no more stack than one of them.
class completions {
 public:
  /// Queues the notification of all dependents of `state`, which gets `outcome`. Afterwards `state`
  /// no longer exists.
  void finish(future_state& state, std::uintptr_t outcome) noexcept;
  /// Calls `me.notify` after all dependents that run no user code have been notified.
  void call_later(dependent& me) noexcept;
  /// Ends the wait of `ready`.
  void make_ready(waiter& ready) noexcept;
  /// Runs all queued actions. Returns a waiter to be resumed, or null.
  waiter* drain() noexcept;

  void add_all(dependent* list) noexcept;

 private:
  struct queue {
    void push(dependent& last) noexcept;
    dependent* pop() noexcept;
    dependent* first = nullptr;
    dependent* last = nullptr;
  };

  queue notified_;
  queue calls_;
  waiter* ready_ = nullptr;
};

/// The shared state of a future, which is the task that produces it if there is one.
///
/// It has two owners, the producer and the future (several shared futures count as one). `done`
/// decides which of them frees it, without a reference count. The producer gives its share up by
/// completing, the future by `abandon`, and the second one frees.
///
/// Values of `done`: those of `task`, or `unstarted`, or a list of dependents, or'ed with
/// `abandoned` when no future is left.
struct future_state : task {
  struct operations {
    /// Destroys the stored objects and frees the state. Returns another state whose future was
    /// stored in it and is to be abandoned, or null. So a chain is dropped without recursion.
    future_state* (*drop)(future_state& state) noexcept;
  };

  future_state(run_function body, const operations& calls) noexcept : task(body), ops(&calls) {}

  static constexpr std::uintptr_t abandoned = 2;
  static constexpr std::uintptr_t unstarted = 4;  // deferred: it has no producer yet
  static constexpr std::uintptr_t flags = 7;

  [[nodiscard]] bool is_ready() const noexcept {
    // acquire: pairs with the release of the completion
    return is_final(done.load(std::memory_order_acquire));
  }
  [[nodiscard]] bool is_unstarted() const noexcept {
    return done.load(std::memory_order_relaxed) == unstarted;
  }

  const operations* ops;
  // its slot in the deque of the worker that queued it, or null
  split_deque::slot* place = nullptr;
  // The number of shared futures. Not set before `share_first`, since most states have none.
  alignas(std::atomic_ref<std::uint32_t>::required_alignment) std::uint32_t num_sharers;
};

/// Adds `node` to the dependents that are notified when `state` is final. False: it is final
/// already, and `node` is unused.
/// `below`, if given, gets the dependent attached before `node`, which other threads may change at
/// once.
[[nodiscard]] bool attach(future_state& state,
                          dependent& node,
                          dependent** below = nullptr) noexcept;

/// Claims `state` for the caller, who must run it. False: it is not deferred, or has started.
[[nodiscard]] bool claim_unstarted(future_state& state) noexcept;

/// Queues `state` if it is deferred and has not started.
void start_unstarted(future_state& state) noexcept;

/// Gives up the future's share of `state`.
void abandon(future_state& state) noexcept;

/// The share of several futures in one state. The last of them gives it up.
void share_first(future_state& state) noexcept;
void add_sharer(future_state& state) noexcept;
void abandon_share(future_state& state) noexcept;

/// Runs `state`, which the caller has claimed and counted, on this stack if it has room.
void run_here(future_state& state, bool is_timed);

/// Returns when `state` is final: runs it here if it has not started, otherwise waits.
void wait_until_final(future_state& state, const wait_reason& why);

/// The slow path of `finish`, for more dependents than one future.
waiter* finish_slowly(future_state& state, std::uintptr_t before) noexcept;

/// Gives `state` its outcome. Returns a waiter to be resumed, or null.
inline waiter* finish(future_state& state, std::uintptr_t outcome) noexcept {
  // acq_rel: releases the result to the future, acquires what dependents wrote before they attached
  const std::uintptr_t before = state.done.exchange(outcome, std::memory_order_acq_rel);
  if (before == task::pending) [[likely]] {
    return nullptr;
  }
  return finish_slowly(state, before);
}

/// As `finish`, for code that is not a task: resumes the waiter.
inline void finish_and_resume(future_state& state, std::uintptr_t outcome) noexcept {
  if (waiter* ready = finish(state, outcome)) {
    resume(*ready);
  }
}

}  // namespace weft::tasks::detail
