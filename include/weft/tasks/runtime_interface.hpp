// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What other modules may ask of a runtime below the public functions.
//
// `execution`, `algorithms`, `halo` and `compat` include this header, its neighbours
// runtime_types.hpp, future_interface.hpp, coroutine_interface.hpp and alarm.hpp, and public ones
// of `tasks`, but never weft/tasks/detail or src/tasks; tests/meta holds them to it. Functions that
// stand in a fast path are inline.
#pragma once

#include <cstddef>

// IWYU pragma: begin_exports
#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/groups/task_scope.hpp"
#include "weft/tasks/detail/scheduler/block_memory.hpp"
#include "weft/tasks/detail/scheduler/identity.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
// IWYU pragma: end_exports
#include "weft/tasks/runtime_types.hpp"  // IWYU pragma: export

namespace weft {
class runtime;
}

namespace weft::tasks {

// Who runs.

/// The calling thread's worker; null on a thread that is none. A suspended task may go on on
/// another one: ask again after every call that may wait.
/// Cost:    two loads.
using detail::self;

/// What is the same for all code of one task, also after it was suspended, or of one OS thread.
using detail::current_identity;

/// The same, for a caller that knows its worker.
[[nodiscard]] inline const void* identity_of(const worker& w) noexcept {
  return w.current->identity;
}

/// The runtime of the calling task; null on a thread that is no worker.
[[nodiscard]] inline scheduler* scheduler_here() noexcept {
  const worker* const w = self();
  return w != nullptr ? w->home : nullptr;
}

/// The runtime of the calling task, or the default one, which this starts.
using detail::current_scheduler;

/// The scheduler of a runtime.
[[nodiscard]] scheduler& scheduler_of(runtime& home) noexcept;

/// The number of the calling worker in its runtime; `otherwise` on a thread that is none.
[[nodiscard]] inline std::size_t worker_index(std::size_t otherwise) noexcept {
  const worker* const w = self();
  return w != nullptr ? w->index : otherwise;
}

/// True if the calling thread only stands in for a worker during a call of its own.
[[nodiscard]] inline bool is_visitor(const worker& w) noexcept { return w.visits_for != nullptr; }

/// How many workers take tasks.
[[nodiscard]] std::size_t num_workers(const scheduler& home) noexcept;

/// True if a worker of `home` other than the caller is awake: it will see new work at once.
[[nodiscard]] bool is_another_awake(const scheduler& home) noexcept;

/// Errors: `weft::error` if this process is a fork of the one that started `home`.
void refuse_in_fork(const scheduler& home);

/// True if the caller should not call deeper on its stack, but start a work item instead.
using detail::is_short_of_stack;

/// The lowest byte of a stack and the one after its highest.
struct stack_bounds {
  const std::byte* low;
  const std::byte* high;
};
/// The bounds of the stack that the calling task or OS thread runs on.
[[nodiscard]] stack_bounds current_stack() noexcept;
using detail::stack_position;

// Starting.

/// Where a work item lies on the deque of the worker that started it.
using queue_slot = detail::split_deque::slot;

/// Queues a work item of a runtime for whoever comes first: on the caller's deque if the caller is
/// a worker of that runtime, else in the runtime's own queue.
/// Errors:  std::bad_alloc, and nothing is queued.
using detail::start;

/// As `start` on the calling worker, which the caller knows; returns where the work item lies.
using detail::start_here;

/// As `start`, with a priority.
using detail::start_as;

/// As `start`, in the runtime at hand if none is given; never fails.
using detail::start_surely;

/// Queues a work item in the runtime's own queue and wakes a worker for it; never fails.
using detail::inject;

/// Runs `t`, which the calling worker `w` started and which lies at `place`, unless another worker
/// has taken it. True: it has run.
inline bool run_if_queued(worker& w, work_item& t, queue_slot* place) noexcept {
  if (!w.tasks.claim_any(t) && !detail::claim_inside(w, t, place)) {
    return false;
  }
  if (waiter* const ready = detail::run_counted(w, t, detail::run_kind::called)) {
    detail::resume(*ready);
  }
  return true;
}

/// Around everything outside the workers that will start or resume something in `home`: meanwhile
/// the runtime does not end, and tasks that wait are no deadlock.
void outside_work_begins(scheduler& home) noexcept;
/// The end of what `outside_work_begins` began.
void outside_work_ends(scheduler& home) noexcept;

// Waiting.

/// What a wait is for, in reports of deadlocks.
using detail::wait_reason;
/// An enlistment that calls a callable; see `suspend`.
using detail::enlist_call;

/// Suspends the calling task, or puts the calling OS thread to sleep, until `resume`.
using detail::suspend;
/// The same for a wait that must not fail.
using detail::suspend_surely;
/// Ends a wait: queues its task, or wakes its OS thread.
using detail::resume;
/// Waits until a work item is complete, which somebody else runs.
using detail::wait_for_completion;
/// After an exception left `suspend` of an OS thread: returns when `resume` has been called all the
/// same, which must not find the frame gone.
using detail::wait_until_woken;

/// Tells which task group the code of a work item belongs to.
using detail::task_scope;

// Offering help.

/// A work item that need not run: a share of work that the one who offers it does itself if no
/// other worker has come by then.
struct optional_work : work_item {
  explicit optional_work(run_function body) noexcept : work_item(body) {}
  /// To be called first where it runs.
  void begin() noexcept {
    if (is_in_queue) {
      leave_queue();
    }
  }

  queue_slot* place = nullptr;  // on the deque of who offered it; null: not there
  bool is_in_queue = false;     // the runtime's own

 private:
  static void leave_queue() noexcept;
};

/// Offers shares of work to the workers of a runtime: call `add` for each, then `finish`.
///
/// On a worker of the runtime they lie on its deque, for thieves. Others put them into the
/// runtime's queue, and wake a worker for each that no searching worker will take.
/// Threads: one.
class work_offer {
 public:
  /// `num_shares` says how often `add` will be called.
  work_offer(scheduler& home, std::size_t num_shares) noexcept;

  /// True if so many offers of former calls lie in the runtime's queue that its workers must be
  /// busy for long: offer nothing.
  [[nodiscard]] bool is_refused() const noexcept { return is_refused_; }
  /// The caller goes on working itself, so a worker that the kernel wakes on the caller's processor
  /// moves to another one.
  void add(optional_work& share) noexcept;
  /// The worker on whose deque they lie; null: in the runtime's queue.
  [[nodiscard]] const worker* finish() noexcept;

 private:
  scheduler& home_;
  worker* here_;  // null: the caller is no worker of `home`
  bool is_refused_;
  unsigned num_idle_ = 0;
  std::size_t num_searchers_ = 0;  // workers that search, and come without being woken
};

/// Takes a share back from the calling worker's deque. True: nobody runs it.
/// Threads: the worker that `finish` returned, with those added last first.
[[nodiscard]] bool withdraw(optional_work& share) noexcept;

// Memory.

/// A new object in memory of the worker's own supply, which may be null, or of the heap.
/// Errors:  std::bad_alloc, and what the constructor throws.
using detail::make_block;
/// Gives back the memory of an object that `make_block` made, and that is destroyed.
using detail::free_block;
/// Destroys an object that `make_block` made.
using detail::destroy_block;

}  // namespace weft::tasks
