// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting: a task is suspended and its worker runs other tasks; an OS thread sleeps.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <source_location>
#include <type_traits>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"

namespace weft::tasks::detail {

class scheduler;

/// The event that a task waits for, for reports of why a program stands still.
struct wait_reason {
  const char* kind = "";         // "future" or "mutex", for example
  const void* object = nullptr;  // the address of the awaited object
  std::source_location where = std::source_location::current();
};

/// One wait of one task or OS thread. It lives in the waiting frame.
struct waiter {
  explicit waiter(const wait_reason& why) noexcept;
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;

  task ready{&as_waiter};                  // queued to resume this waiter
  stack* fiber = nullptr;                  // what to resume; null: an OS thread
  scheduler* home = nullptr;               // where to resume it
  unsigned suspended_on = 0;               // the index of the worker that it left
  std::atomic<std::uint32_t> is_woken{0};  // an OS thread sleeps on it
  waiter* next = nullptr;                  // for the queue it is in; null: in none
  waiter* previous = nullptr;              // for the queue it is in
  const wait_reason* why;
  void* context = nullptr;  // for the primitive it waits on
  bool is_timed = false;    // a timer may also end this wait
  std::atomic<std::uint8_t> claims{0};

  static constexpr std::uint8_t claimed_by_resumer = 1;
  static constexpr std::uint8_t claimed_by_timer = 2;

  /// Either the timer or one resumer claims a timed wait, and only the claimer resumes it.
  /// Threads: under the lock of the primitive that `withdraw` of the timed wait takes, too.
  /// Cost:    one comparison for a wait without a time limit.
  bool claim() noexcept { return !is_timed || claim_as(claimed_by_resumer); }
  bool claim_as(std::uint8_t who) noexcept {
    std::uint8_t nobody = 0;
    // acq_rel: the loser sees the winner's earlier effects
    return claims.compare_exchange_strong(nobody, who, std::memory_order_acq_rel);
  }

  static waiter* as_waiter(task& t) noexcept;
};

/// True if `t` is the `ready` of a waiter that `resume` queued.
inline bool is_ready_waiter(const task& t) noexcept { return t.run == &waiter::as_waiter; }

/// Called when other threads may resume the waiting stack. False: do not wait after all.
/// Threads: runs on another stack than its caller's frame; must neither throw nor wait.
struct enlistment : arrival {
  using enlist_function = bool (*)(enlistment&, waiter&) noexcept;
  enlistment(waiter& who, enlist_function call) noexcept;

  waiter* node;
  enlist_function enlist;
};

/// Suspends the calling task, or OS thread, from `e.enlist` until `resume(*e.node)`.
/// Cost:    two switches of stacks and a push; no allocation while spare stacks last.
/// Errors:  `weft::error` if there is no address space for another stack; nothing was enlisted.
void suspend(enlistment& e);

/// Whether the awaited event has happened, while no thread is to end the wait.
struct end_check {
  bool (*is_over)(void* context) noexcept;
  void* context;
};

/// As `suspend`, for a caller whose frame other threads use, or that cannot undo what it began. If
/// no stack is left, the worker stays on this stack, runs other tasks, and calls `end`.
/// Errors:  none on a worker; on an OS thread `weft::deadlock_error`.
void suspend_surely(enlistment& e, const end_check& end);

/// Ends the wait of `ready`: queues its task, or wakes its OS thread. `ready` may no longer exist
/// afterwards.
void resume(waiter& ready) noexcept;

/// Resumes the task of `ready` after all tasks that its runtime has queued from outside. Returns
/// true.
bool resume_later(waiter& ready) noexcept;

/// Makes sure that the calling task or thread can wait next. Call it before a step that cannot be
/// undone.
/// Errors:  as `suspend`.
void require_way_to_wait();

/// Waits for `t`, which another thread runs or will run, perhaps in the caller's frame. Returns
/// only when `t` is done, even if no stack is left for the worker.
/// Errors: as `suspend_surely`.
void wait_for_completion(task& t, const wait_reason& why);

/// Sleeps until `resume(node)`. For an OS thread whose `suspend` threw after other threads had
/// learned of the wait.
void wait_until_woken(waiter& node) noexcept;

/// An enlistment that calls a callable.
template <class Enlist>
struct enlist_call : enlistment {
  static_assert(std::is_nothrow_invocable_r_v<bool, Enlist&, waiter&>);
  enlist_call(waiter& who, Enlist& call) noexcept
      : enlistment(who,
                   [](enlistment& e, waiter& w) noexcept -> bool {
                     return (*static_cast<enlist_call&>(e).body)(w);
                   }),
        body(std::addressof(call)) {}
  Enlist* body;
};

/// Waits until `resume(node)` is called by the code that `enlist(node)` informs. `enlist` returns
/// false if there is no need to wait any more.
/// Errors:  as `suspend`.
template <class Enlist>
void wait(const wait_reason& why, Enlist enlist) {
  waiter node(why);
  enlist_call<Enlist> call(node, enlist);
  suspend(call);
}

/// As `wait`, for a wait that must not fail. `is_over()` says whether it has ended although
/// `enlist` was not called.
/// Errors:  as `suspend_surely`.
template <class Enlist, class IsOver>
void wait_surely(const wait_reason& why, Enlist enlist, IsOver is_over) {
  static_assert(std::is_nothrow_invocable_r_v<bool, IsOver&>);
  waiter node(why);
  enlist_call<Enlist> call(node, enlist);
  suspend_surely(
      call,
      {.is_over = [](void* asked) noexcept -> bool { return (*static_cast<IsOver*>(asked))(); },
       .context = std::addressof(is_over)});
}

}  // namespace weft::tasks::detail
