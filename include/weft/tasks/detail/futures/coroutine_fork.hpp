// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A coroutine that awaits several children at once: other workers take its continuation.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <new>

#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/futures/coroutine_promise.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"

namespace weft::tasks::detail {

/// A fork in progress; it lives in the awaiting frame.
///
/// Its *continuation* starts the remaining children, and resumes the awaiting coroutine when all
/// have ended. Exactly one strand of execution owns it. Before the owner runs a child that is not
/// the last, it offers the continuation in its deque. When the child has ended, the owner takes it
/// back, without an atomic read-modify-write. A thief that runs the offer is the next owner. If the
/// child does not end here, the offer stays for thieves, or for the loop of this worker.
///
/// The thief of the continuation notes in `num_elsewhere_`, a plain word of the owner's, that one
/// more child will end without finding it. Such a child adds one to `num_reported_`; the owner,
/// when its last child has ended, subtracts `num_elsewhere_`. Until then every child's addition
/// gives a positive sum. So exactly one of them brings the sum to zero, and that one resumes the
/// awaiting coroutine.
/// Source:  libfork (C. J. Williams and J. Elliott), for the counter in two parts.
class fork_state : public task {
 public:
  explicit fork_state(run_function run_taken) noexcept : task(run_taken) {}
  fork_state(const fork_state&) = delete;
  fork_state& operator=(const fork_state&) = delete;

  std::coroutine_handle<> parent;
  const execution::task_environment* environment = nullptr;

  /// Queues the parent, so that it is resumed from the base of a worker's stack.
  void queue_parent() noexcept;

  /// Called when a child ends that does not run on the owner. True: resume the parent.
  bool report() noexcept {
    // acq_rel: releases this child's result, acquires those of all others
    return num_reported_.fetch_add(1, std::memory_order_acq_rel) + 1 == 0;
  }

  /// Called when the owner's last child has ended. True: resume the parent.
  bool settle() noexcept {
    const std::int32_t due = num_elsewhere_;
    // acq_rel: as in report()
    return due == 0 || num_reported_.fetch_sub(due, std::memory_order_acq_rel) == due;
  }

 protected:
  /// Whether the owner has the continuation again, and whether its next child is to be timed.
  enum class taken : std::uint8_t { no, untimed, timed };

  /// Offers the continuation in the worker's deque. Null: no memory, so no thief can take it.
  split_deque::slot* offer() noexcept {
    try {
      return start_here(*weft::tasks::detail::self(), *this);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  /// `claim_top` does not empty the slot. That is harmless if the continuation is offered only
  /// once. Otherwise the slot must be emptied, because another strand that offered it at the same
  /// place could take it from there.
  template <bool is_offered_once>
  taken take_back(split_deque::slot* place) noexcept {
    using claiming = split_deque::claiming;
    worker* w = weft::tasks::detail::self();
    claiming begun = claiming::none;
    if constexpr (is_offered_once) {
      begun = w->tasks.begin_claim(*this, place);
    } else if (w->tasks.claim_any(*this)) {
      begun = claiming::mine;
    }
    if (begun == claiming::mine) [[likely]] {
      if (w->clock.count()) [[unlikely]] {
        return taken::timed;
      }
      return taken::untimed;
    }
    return take_back_slowly(place, begun);
  }

  void note_child_elsewhere() noexcept { ++num_elsewhere_; }
  [[nodiscard]] bool has_children_elsewhere() const noexcept { return num_elsewhere_ != 0; }

 private:
  taken take_back_slowly(split_deque::slot* place, split_deque::claiming begun) noexcept;

  std::int32_t num_elsewhere_ = 0;
  std::atomic<std::int32_t> num_reported_{0};
};

/// Times a child that a fork runs. It lives in the frame that calls the child.
class timed_child {
 public:
  timed_child(const void* fork, const void* label) noexcept;
  timed_child(const timed_child&) = delete;
  timed_child& operator=(const timed_child&) = delete;
  ~timed_child();

 private:
  timed_task timing_;
  const stack* here_;
};

/// The operations of all forks. `Fork` knows the children. `start_next()` makes the next child
/// ready to run, or returns null if none is left. `is_at_end()` is true after it has returned the
/// last one. `is_offered_once` says that there are at most two children.
template <class Fork>
class basic_fork : public fork_state {
 public:
  bool await_ready() const noexcept { return false; }

  template <class Promise>
  [[gnu::always_inline]] bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
    parent = awaiting;
    coroutine_promise* caller = promise_if_ours(awaiting);
    environment = caller != nullptr ? caller->environment : nullptr;
    worker* w = tasks::detail::self();
    if (w == nullptr || is_short_of_stack(*w)) [[unlikely]] {
      detach(caller);
      run = run_queued;
      queue_surely(*this);
      return true;
    }
    return !drive(caller);
  }

 private:
  friend Fork;
  basic_fork() noexcept : fork_state(run_taken) {}

  static waiter* run_taken(task& t) noexcept {
    auto& fork = static_cast<basic_fork&>(t);
    fork.note_child_elsewhere();
    return fork.continue_as_owner();
  }
  static waiter* run_queued(task& t) noexcept {
    weft::tasks::detail::self()->clock.uncount();
    t.run = run_taken;
    return static_cast<basic_fork&>(t).continue_as_owner();
  }

  /// Continues the fork at the base of a worker's stack, as its owner.
  waiter* continue_as_owner() noexcept {
    if (drive(nullptr)) {
      parent.resume();
    }
    return nullptr;
  }

  /// The state of a fork after a child was run.
  enum class step : std::uint8_t {
    next,        // the continuation was taken back: run the next child
    next_timed,  // as `next`, and the next child is to be timed
    parent,      // the parent continues here
    gone         // another strand resumes the parent, now or later
  };

  /// Runs the remaining children as the owner, in nested calls of `caller`. `caller` is null
  /// without a coroutine on this stack.
  /// True: the parent continues here. False: another strand resumes it, now or later.
  [[gnu::always_inline]] bool drive(coroutine_promise* caller) noexcept {
    for (;;) {
      step after = run_child(caller);
      while (after == step::next_timed) [[unlikely]] {
        after = run_child_timed(caller);
      }
      if (after != step::next) {
        return after == step::parent;
      }
    }
  }

  [[gnu::noinline]] step run_child_timed(coroutine_promise* caller) noexcept {
    const timed_child timing(this, reinterpret_cast<const void*>(&basic_fork::run_taken));
    return run_child(caller);
  }

  [[gnu::always_inline]] step run_child(coroutine_promise* caller) noexcept {
    auto& children = static_cast<Fork&>(*this);
    const coroutine child = children.start_next();
    if constexpr (Fork::may_lack_children) {
      if (child == nullptr) [[unlikely]] {
        return finish(caller);
      }
    }
    child.promise().environment = environment;
    nested_call call{caller};
    if (children.is_at_end()) {
      child.promise().after = successor(*this, true);
      run_nested(child, call);
      return call.is_done ? finish(caller) : step::gone;
    }
    child.promise().after = successor(*this, false);
    split_deque::slot* place = offer();
    run_nested(child, call);
    if (!call.is_done) [[unlikely]] {
      if (place != nullptr) {
        // Any thief may take the continuation. The parent may have ended, and another task may be
        // in its place, so the code must not even look for the continuation.
        return step::gone;
      }
      note_child_elsewhere();
      return step::next;
    }
    const taken back = this->template take_back<Fork::is_offered_once>(place);
    if (back == taken::untimed) [[likely]] {
      return step::next;
    }
    return back == taken::timed ? step::next_timed : leave(caller);
  }

  [[gnu::always_inline]] step finish(coroutine_promise* caller) noexcept {
    if (has_children_elsewhere()) [[unlikely]] {
      detach(caller);
    }
    return settle() ? step::parent : step::gone;
  }
  [[gnu::noinline]] step leave(coroutine_promise* caller) noexcept {
    detach(caller);
    return report() ? step::parent : step::gone;
  }
};

}  // namespace weft::tasks::detail
