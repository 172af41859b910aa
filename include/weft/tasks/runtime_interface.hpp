// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of a runtime that other modules may use, below the public ones.
//
// `execution`, `algorithms`, `halo` and `compat` include this header, its neighbours
// runtime_types.hpp, future_interface.hpp, coroutine_interface.hpp and alarm.hpp, and public
// headers of `tasks`. They never include weft/tasks/detail or src/tasks, which tests/meta checks.
// Functions on a fast path are inline.
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

// The running code.

/// The calling thread's worker; null on a thread that is not a worker. A suspended task may resume
/// on another worker: call it again after every call that may wait.
/// Cost:    two loads.
using detail::self;

/// An identity that is the same for all code of one task, also after a suspension, or of one OS
/// thread.
using detail::current_identity;

/// As `current_identity`, for a caller that knows its worker.
[[nodiscard]] inline const void* identity_of(const worker& w) noexcept {
  return w.current->identity;
}

/// The runtime of the calling task; null on a thread that is not a worker.
[[nodiscard]] inline scheduler* scheduler_here() noexcept {
  const worker* const w = self();
  return w != nullptr ? w->home : nullptr;
}

/// The runtime of the calling task, or the default one, which this call starts if necessary.
using detail::current_scheduler;

/// The scheduler of a runtime.
[[nodiscard]] scheduler& scheduler_of(runtime& home) noexcept;

/// The number of the calling worker in its runtime; `otherwise` on a thread that is not a worker.
[[nodiscard]] inline std::size_t worker_index(std::size_t otherwise) noexcept {
  const worker* const w = self();
  return w != nullptr ? w->index : otherwise;
}

/// True if the calling thread only takes a worker's place during its own call.
[[nodiscard]] inline bool is_visitor(const worker& w) noexcept { return w.visits_for != nullptr; }

/// The number of workers that take tasks.
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

// Starting work.

/// The position of a work item in the deque of the worker that started it.
using queue_slot = detail::split_deque::slot;

/// Queues a work item of a runtime for any worker. It goes to the caller's deque if the caller is a
/// worker of that runtime, else to the runtime's own queue.
/// Errors:  std::bad_alloc, and nothing is queued.
using detail::start;

/// As `start` on the calling worker, which the caller knows; returns the position of the work item.
using detail::start_here;

/// As `start`, with a priority.
using detail::start_as;

/// As `start`, in the current runtime if none is given; never fails.
using detail::start_surely;

/// Queues a work item in the runtime's own queue and wakes a worker for it; never fails.
using detail::inject;

/// Runs `t`, which the calling worker `w` started at `place`, unless another worker has taken it.
/// True: it has run.
inline bool run_if_queued(worker& w, work_item& t, queue_slot* place) noexcept {
  if (!w.tasks.claim_any(t) && !detail::claim_inside(w, t, place)) {
    return false;
  }
  if (waiter* const ready = detail::run_counted(w, t, detail::run_kind::called)) {
    detail::resume(*ready);
  }
  return true;
}

/// Call it around everything outside the workers that will start or resume a task in `home`.
/// Meanwhile the runtime does not end, and waiting tasks are not a deadlock.
void outside_work_begins(scheduler& home) noexcept;
/// Ends what `outside_work_begins` began.
void outside_work_ends(scheduler& home) noexcept;

// Waiting.

/// The reason of a wait, for reports of deadlocks.
using detail::wait_reason;
/// An enlistment that calls a callable; see `suspend`.
using detail::enlist_call;

/// Suspends the calling task, or puts the calling OS thread to sleep, until `resume`.
using detail::suspend;
/// As `suspend`, for a wait that must not fail.
using detail::suspend_surely;
/// Ends a wait: queues its task, or wakes its OS thread.
using detail::resume;
/// Waits until a work item is complete that another thread runs.
using detail::wait_for_completion;
/// Call it after `suspend` of an OS thread threw an exception. It returns when `resume` has been
/// called nevertheless, which needs the waiting frame.
using detail::wait_until_woken;

/// Records which task group the code of a work item belongs to.
using detail::task_scope;

// Offering work.

/// A work item that need not run: if no other worker takes it in time, the offering code does that
/// share of the work itself.
struct optional_work : work_item {
  explicit optional_work(run_function body) noexcept : work_item(body) {}
  /// Call it first when the item runs.
  void begin() noexcept {
    if (is_in_queue) {
      leave_queue();
    }
  }

  queue_slot* place = nullptr;  // in the deque of the offering worker; null: not in a deque
  bool is_in_queue = false;     // in the runtime's own queue

 private:
  static void leave_queue() noexcept;
};

/// Offers shares of work to the workers of a runtime: call `add` for each, then `finish`.
///
/// A worker of the runtime puts the shares into its deque, for thieves. Other threads put them into
/// the runtime's queue, and wake a worker for each share that no searching worker will take.
/// Threads: one.
class work_offer {
 public:
  /// `num_shares`: how often `add` will be called.
  work_offer(scheduler& home, std::size_t num_shares) noexcept;

  /// True if so many earlier offers are in the runtime's queue that its workers must be busy for
  /// long: offer nothing then.
  [[nodiscard]] bool is_refused() const noexcept { return is_refused_; }
  /// Adds a share. The caller continues to work, so a worker that the kernel wakes on the caller's
  /// CPU moves to another one.
  void add(optional_work& share) noexcept;
  /// Returns the worker whose deque holds the shares; null: they are in the runtime's queue.
  [[nodiscard]] const worker* finish() noexcept;

 private:
  scheduler& home_;
  worker* here_;  // null: the caller is not a worker of `home`
  bool is_refused_;
  unsigned num_idle_ = 0;
  std::size_t num_searchers_ = 0;  // searching workers, which take a share without being woken
};

/// Takes a share back from the calling worker's deque. True: no other worker runs it.
/// Threads: the worker that `finish` returned, in the reverse order of `add`.
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
