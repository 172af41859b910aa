// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop at the base of every pooled stack, and the one function that switches stacks.
#include "tasks/scheduler/worker_loop.hpp"

#include <utility>

#include "weft/counters/worker_block.hpp"
#include "weft/tasks/detail/counters/task_clock.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/disturb.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/detail/sync/held_locks.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

#include "tasks/scheduler/scheduler.hpp"

namespace weft::tasks::detail {

namespace {

void release_left(arrival& /*self*/, stack& left) noexcept { self()->stacks.release(&left); }

}  // namespace

constinit arrival recycle{release_left};

[[gnu::noinline]] void switch_to(worker& w, stack& to, arrival* first) noexcept {
  stack& from = *w.current;
  w.current = &to;
  w.stack_limit = to.soft_limit;
  w.count->stack_switches.add(1);
  switch_stack(from, to, first);
}

namespace {

/// Resumes `ready`, called from the base of a stack that is no longer needed.
void resume_from_base(worker& w, waiter& ready) noexcept {
  w.count->resumes.add(1);
  switch_to(w, *ready.fiber, &recycle);
}

/// True if `ready` was suspended on this worker and another worker could resume it. Used by tests.
bool must_migrate(const worker& now, const waiter& ready) noexcept {
  return ready.fiber != nullptr && ready.home == now.home && ready.suspended_on == now.index &&
         now.home->num_workers() > 1;
}

}  // namespace

void check_nothing_is_held() {
  if constexpr (tracks_locks) {
    if (num_held_locks() != 0) {
      report_kept_locks(0, "a task ended, or a coroutine was suspended,");
    }
  }
}

namespace {

/// Runs `t`, and then the task that waited for it, if there is one.
[[gnu::always_inline]] inline void run_from_loop(worker& w, task& t) noexcept {
  waiter* const ready =
      is_ready_waiter(t) ? waiter::as_waiter(t) : run_counted(w, t, run_kind::looped);
  check_nothing_is_held();
  if (ready != nullptr) {
    worker& now = *self();
    if (forces_migration() && must_migrate(now, *ready)) {
      now.home->inject(ready->ready);
    } else if (ready->fiber != nullptr && ready->home == now.home) {
      now.count->direct_resumes.add(1);
      resume_from_base(now, *ready);
    } else {
      resume(*ready);
    }
  }
}

/// Runs tasks until the runtime stops or, in a visitor, until its visit ends.
[[gnu::always_inline]] inline void run_all() noexcept {
  for (;;) {
    worker& w = *self();
    task* t = w.home->next_task(w);
    if (t == nullptr) {
      return;
    }
    run_from_loop(w, *t);
  }
}

[[gnu::noinline]] void loop(void* /*unused*/) noexcept {
  run_all();
  worker& w = *self();
  switch_to(w, w.native, &recycle);
}

/// Switches from the thread's own stack to the base stack `next`, and back when the visit ends.
/// `next` is null where this function runs on a base stack that has just been made.
///
/// Both switches are made by this one function, because a processor predicts a return from the calls
/// before it, on whichever stack they were. With two functions each switch would cost a wrong
/// prediction. The base stack is kept for the next visit.
[[gnu::noinline]] void switch_for_visit(stack* next) noexcept {
  for (;;) {
    if (next != nullptr) {
      switch_to(*self(), *next, nullptr);
      const worker& arrived = *self();
      if (arrived.current == &arrived.native) {
        return;
      }
    }
    {
      worker& w = *self();
      w.clock.count_loop_run();
      run_from_loop(w, *w.visits_for);
    }
    run_all();
    worker& w = *self();
    if (w.visits_for == nullptr || !w.stacks.keeps_some()) {
      switch_to(w, w.native, &recycle);
    }
    w.visit_base = w.current;
    next = &w.native;
  }
}

void visit_from_base(void* /*unused*/) noexcept { switch_for_visit(nullptr); }

}  // namespace

stack& prepared(worker& w, stack& fresh, void (*entry)(void*) noexcept, void* argument) noexcept {
  w.count->stacks_acquired.add(1);
  fresh.identity = &fresh;
  if constexpr (tracks_locks) {
    fresh.held = &fresh.held_here;
  }
  fresh.num_beneath = 0;
  w.home->stacks().prepare(fresh, entry, argument);
  return fresh;
}

stack& prepared_for_loop(worker& w, stack& fresh) noexcept {
  return prepared(w, fresh, loop, nullptr);
}

[[gnu::noinline]] void suspend_to(worker& w, stack& next, enlistment& e) noexcept {
  waiter& node = *e.node;
  node.fiber = w.current;
  node.home = w.home;
  node.suspended_on = w.index;
  w.current->user = &node;
  w.count->suspensions.add(1);
  const task_clock::pause timing = w.clock.begin_pause(*w.current);
  switch_to(w, next, &e);
  self()->clock.end_pause(timing, *node.fiber);
  node.fiber->user = nullptr;
}

void enter_loop(worker& w, stack& base) noexcept {
  switch_to(w, prepared(w, base, loop, nullptr), nullptr);
}

stack* visit_base_of(worker& w) noexcept {
  if (w.visit_base != nullptr) {
    return std::exchange(w.visit_base, nullptr);
  }
  stack* const fresh = w.stacks.try_acquire();
  return fresh == nullptr ? nullptr : &prepared(w, *fresh, visit_from_base, nullptr);
}

void run_visit(stack& base) noexcept { switch_for_visit(&base); }

stack* loop_stack(worker& w) noexcept {
  stack* const fresh = w.stacks.try_acquire();
  return fresh == nullptr ? nullptr : &prepared(w, *fresh, loop, nullptr);
}

}  // namespace weft::tasks::detail
