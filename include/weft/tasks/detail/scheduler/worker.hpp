// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data of a worker thread, and the functions with which its code starts tasks and waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "weft/base/durations.hpp"
#include "weft/counters/worker_block.hpp"
#include "weft/tasks/detail/counters/task_clock.hpp"
#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/block_cache.hpp"
#include "weft/tasks/detail/scheduler/delay_probe.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/stacks/nested_stack.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/launch.hpp"

namespace weft::tasks::detail {

class scheduler;

/// A wait for a task that its maker would have run itself if no thief had taken it.
struct stolen_join {
  std::chrono::steady_clock::time_point begun;  // not set: there is none
  std::uint32_t loop_runs = 0;                  // the worker's loop runs at that time
};

/// An OS thread of a runtime, or the place of a visiting thread; see src/tasks/scheduler/visit.cpp.
///
/// Threads: only the thread itself, except for the thief's functions of `tasks`, and `park_word`.
struct worker {
  worker(scheduler& owner, unsigned number, counters::worker_block& block);

  split_deque tasks;
  task_clock clock;
  delay_probe probe;
  const std::byte* stack_limit = nullptr;  // code that needs more stack takes another one
  stack* current = nullptr;                // the stack that this thread runs on
  unsigned index;
  task* visits_for = nullptr;  // a visitor leaves when this task has ended; null: a worker
  // of a visitor that is away: the stack on which its next visit begins
  stack* visit_base = nullptr;
  scheduler* home;
  counters::worker_block* count;
  std::uint32_t random;
  std::uint32_t until_check = 61;     // loop tasks until the next check_between_tasks()
  std::uint32_t check_period = 61;    // the value that `until_check` started from
  std::int64_t clock_read_at_ns = 0;  // the steady clock, at the last check that may poll
  std::uint32_t num_taken = 0;        // loop tasks since the last fairness check
  std::uint32_t num_turns = 0;        // the number of fairness checks
  stack_cache stacks;
  block_cache blocks;
  stack native;  // the thread's own stack, which it returns to

  alignas(128) std::atomic<std::uint32_t> park_word{0};  // 1: parked or about to park
  // 1: retired, because there are enough workers without it
  std::atomic<std::uint32_t> retire_word{0};
  std::uint64_t woken_at_ticks = 0;  // when `park_word` was cleared; 0: not known
  // In the scheduler's list of idle workers; used under its lock.
  worker* next_idle = nullptr;
  worker** idle_link = nullptr;  // the pointer in the list that leads here; null: it is not listed
  int parked_on_cpu = -1;        // used under the same lock
  // the last wake's reason; written by the thread that clears `park_word`
  bool is_woken_for_optional = false;
  std::uint32_t search_us = 50;                    // how long it searches before it parks
  std::uint64_t num_started_seen = 0;              // see scheduler::watch_held_places
  std::chrono::steady_clock::time_point found_at;  // the last time that a search found a task
  std::chrono::nanoseconds back_off{0};            // see scheduler::back_off
  stolen_join last_join;                           // see scheduler::back_off
  // the last time; written by thieves
  std::atomic<std::chrono::steady_clock::rep> stolen_from_at{0};
};

/// As `split_deque::claim_slowly` of `w`'s deque.
claim claim_slowly(worker& w, task& t, split_deque::slot* place) noexcept;

/// Starts timing `body` on `w`.
void begin_timing(worker& w, timed_task& body) noexcept;

/// Runs `t`, which `w`'s clock has drawn, and returns the waiter that `t` returns.
waiter* run_timed(worker& w, task& t, run_kind kind) noexcept;

/// Runs `t`, which `w` has claimed, and returns the waiter that `t` returns.
inline waiter* run_counted(worker& w, task& t, run_kind kind) noexcept {
  return w.clock.count() ? run_timed(w, t, kind) : t.run(t);
}

/// Answers the requests to `w`, and wakes a parked worker if there is work for it. `queued` is the
/// task just pushed, or null.
void answer(worker& w, task* queued = nullptr) noexcept;

/// Takes `t`, pushed at `place`, back if it is private in `w`'s deque.
///
/// The deque looks emptier for a moment. A worker that has parked meanwhile has left a request,
/// which is answered here.
inline bool claim_inside(worker& w, task& t, split_deque::slot* place) noexcept {
  const bool is_mine = w.tasks.claim_inside(t, place);
  if (w.tasks.is_asked()) [[unlikely]] {
    answer(w);
  }
  return is_mine;
}

/// Queues `t` in the runtime's own queue, wakes a worker for it, and returns null.
split_deque::slot* inject(scheduler& home, task& t) noexcept;

/// Queues `t` of `home` for any worker: by its priority, or as `start` if that is normal.
/// Errors: as `start`.
split_deque::slot* start_as(task_priority priority, scheduler& home, task& t);

/// Queues `t` on the calling worker's deque and returns its slot.
/// Errors: std::bad_alloc, and nothing is queued.
inline split_deque::slot* start_here(worker& w, task& t) {
  split_deque::slot* place = w.tasks.push(t);
  if (w.tasks.is_asked()) [[unlikely]] {
    answer(w, &t);
  }
  return place;
}

/// Queues `t` for any worker: on the calling worker's deque if that belongs to `home`, else in the
/// runtime's own queue. Returns its slot in the deque, or null.
/// Errors: std::bad_alloc, and nothing is queued.
inline split_deque::slot* start(scheduler& home, task& t) {
  worker* w = self();
  return w != nullptr && w->home == &home ? start_here(*w, t) : inject(home, t);
}

/// Queues `t` in `home`, or in the current runtime if `home` is null; never fails.
void start_surely(scheduler* home,
                  task& t,
                  task_priority priority = task_priority::normal) noexcept;

/// The runtime whose progress sources the calling thread is polling; null: it polls none.
[[nodiscard]] scheduler* polled_here() noexcept;

/// Takes a forked task `t` back, which the calling task pushed at `place`, or waits until it is
/// done. True: the caller must run it.
bool take_back_or_wait(task& t, split_deque::slot* place, const wait_reason& why);

/// Performs `t` as a task of `home` and blocks the calling OS thread, which is not a worker of
/// `home`, until it is done.
void run_and_wait(scheduler& home, task& t);

/// As `run_and_wait`, but while a worker's place is free, the calling thread visits and runs `t`
/// and the tasks started by it.
void run_visiting_or_wait(scheduler& home, task& t);

/// As `complete`, for a task that only a thread outside the runtime waits for.
/// Cost:    a store if that thread runs the task itself; otherwise as `complete`.
inline waiter* complete_from_outside(task& t, std::uintptr_t state) noexcept {
  if (self()->visits_for == &t) {
    // release: pairs with the acquire in is_visit_over()
    t.done.store(state, std::memory_order_release);
    return nullptr;
  }
  return complete(t, state);
}

/// Returns the runtime of the calling task, or the default one, which it starts if necessary.
scheduler& current_scheduler();

[[gnu::always_inline]] inline bool is_short_of_stack(const worker& w) noexcept {
  return stack_position() < reinterpret_cast<const char*>(w.stack_limit);
}

}  // namespace weft::tasks::detail
