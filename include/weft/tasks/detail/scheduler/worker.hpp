// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker thread owns, and how the code that it runs starts tasks and waits.
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

/// A wait for a task that its maker could have run itself had no thief taken it.
struct stolen_join {
  std::chrono::steady_clock::time_point begun;  // not set: there is none
  std::uint32_t loop_runs = 0;                  // of the worker by then
};

/// One OS thread of a runtime, or the place of one that visits it, see src/tasks/scheduler/visit.cpp.
///
/// Threads: only the thread itself, but for `tasks`' thief calls and `park_word`.
struct worker {
  worker(scheduler& owner, unsigned number, counters::worker_block& block);

  split_deque tasks;
  task_clock clock;
  delay_probe probe;
  const std::byte* stack_limit = nullptr;  // code that would go deeper takes another stack
  stack* current = nullptr;                // what this thread runs on
  unsigned index;
  task* visits_for = nullptr;   // a visitor leaves when this has ended; null: a worker
  stack* visit_base = nullptr;  // of a visitor that is away: where its next visit begins
  scheduler* home;
  counters::worker_block* count;
  std::uint32_t random;
  std::uint32_t until_check = 61;   // tasks that its loop takes before it looks elsewhere
  std::uint32_t check_period = 61;  // what that began with
  std::uint32_t num_taken = 0;      // by its loop, since it last looked for fairness
  std::uint32_t num_turns = 0;      // looks for fairness
  stack_cache stacks;
  block_cache blocks;
  stack native;  // where the thread came from and goes back to

  alignas(128) std::atomic<std::uint32_t> park_word{0};  // 1: asleep or about to be
  std::atomic<std::uint32_t> retire_word{0};             // 1: there are enough workers without it
  std::uint64_t woken_at_ticks = 0;                      // by `park_word`; 0: not known
  worker* next_idle = nullptr;                           // under the scheduler's lock
  int parked_on_cpu = -1;                                // CPU; under the same lock
  bool is_woken_for_optional = false;                    // last; by who sets `park_word` to 0
  std::uint32_t search_us = 50;                          // before it sleeps
  std::uint64_t num_started_seen = 0;                    // see scheduler::nap
  std::chrono::steady_clock::time_point found_at;        // its last find when it searched
  std::chrono::nanoseconds back_off{0};                  // see scheduler::back_off
  stolen_join last_join;                                 // see scheduler::back_off
  std::atomic<std::chrono::steady_clock::rep> stolen_from_at{0};  // last; written by thieves
};

/// As `split_deque::claim_slowly` of `w`'s deque.
claim claim_slowly(worker& w, task& t, split_deque::slot* place) noexcept;

/// Begins to time `body` on `w`.
void begin_timing(worker& w, timed_task& body) noexcept;

/// Runs `t`, of which `w`'s clock said that it is to be timed, and returns what it returns.
waiter* run_timed(worker& w, task& t, run_kind kind) noexcept;

/// Runs `t`, which `w` has claimed, and returns what it returns.
inline waiter* run_counted(worker& w, task& t, run_kind kind) noexcept {
  return w.clock.count() ? run_timed(w, t, kind) : t.run(t);
}

/// Does what others asked of `w` and wakes a sleeper if there is work to share. `queued` is what it
/// has just pushed, if anything.
void answer(worker& w, task* queued = nullptr) noexcept;

/// Takes `t`, pushed at `place`, back if it is private in `w`'s deque.
///
/// For a moment the deque looks emptier than it is; a worker that lay down meanwhile is told.
inline bool claim_inside(worker& w, task& t, split_deque::slot* place) noexcept {
  const bool is_mine = w.tasks.claim_inside(t, place);
  if (w.tasks.is_asked()) [[unlikely]] {
    answer(w);
  }
  return is_mine;
}

/// Queues `t` in the runtime's own queue, wakes a worker for it, and returns null.
split_deque::slot* inject(scheduler& home, task& t) noexcept;

/// Queues `t` of `home` for whoever comes first: by its priority, as `start` if that is normal.
/// Errors: as `start`.
split_deque::slot* start_as(task_priority priority, scheduler& home, task& t);

/// Queues `t` on the calling worker's deque and returns where it lies there.
/// Errors: std::bad_alloc, and nothing is queued.
inline split_deque::slot* start_here(worker& w, task& t) {
  split_deque::slot* place = w.tasks.push(t);
  if (w.tasks.is_asked()) [[unlikely]] {
    answer(w, &t);
  }
  return place;
}

/// Queues `t` for whoever comes first: on the calling worker's deque if it belongs to `home`, else
/// in the runtime's own queue. Returns where it lies on the own deque, or null.
/// Errors: std::bad_alloc, and nothing is queued.
inline split_deque::slot* start(scheduler& home, task& t) {
  worker* w = self();
  return w != nullptr && w->home == &home ? start_here(*w, t) : inject(home, t);
}

/// Queues `t` in `home`, or in the runtime at hand if that is null; never fails.
void start_surely(scheduler* home,
                  task& t,
                  task_priority priority = task_priority::normal) noexcept;

/// The runtime whose progress sources the calling thread polls at this moment; null: it polls none.
[[nodiscard]] scheduler* polled_here() noexcept;

/// After a fork: takes `t`, pushed at `place` by the calling task, back, or waits until it is done.
/// True: it is the caller's to run.
bool take_back_or_wait(task& t, split_deque::slot* place, const wait_reason& why);

/// Performs `t` as a task of `home` and blocks the calling OS thread, which is not a worker of
/// `home`, until it is done.
void run_and_wait(scheduler& home, task& t);

/// The same; the thread runs `t`, and what this starts, itself while a worker's place is free.
void run_visiting_or_wait(scheduler& home, task& t);

/// As `complete`, for a task that only a thread outside the runtime waits for.
/// Cost:    a store if that thread runs the task itself; else as `complete`.
inline waiter* complete_from_outside(task& t, std::uintptr_t state) noexcept {
  if (self()->visits_for == &t) {
    // release: pairs with the acquire of whoever asks whether the visit is over
    t.done.store(state, std::memory_order_release);
    return nullptr;
  }
  return complete(t, state);
}

/// The runtime of the calling task, or the default one, which this starts.
scheduler& current_scheduler();

[[gnu::always_inline]] inline bool is_short_of_stack(const worker& w) noexcept {
  return stack_position() < reinterpret_cast<const char*>(w.stack_limit);
}

}  // namespace weft::tasks::detail
