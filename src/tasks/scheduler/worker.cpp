// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts tasks on a worker, takes them back, and times them.
#include "weft/tasks/detail/scheduler/worker.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>

#include "weft/counters/trace_ring.hpp"
#include "weft/counters/worker_block.hpp"
#include "weft/tasks/detail/counters/task_clock.hpp"
#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/delay_probe.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/runtime.hpp"

#include "tasks/runtime/runtime_access.hpp"
#include "tasks/scheduler/scheduler.hpp"

namespace weft::tasks::detail {

worker::worker(scheduler& owner, unsigned number, counters::worker_block& block)
    : clock(block, owner.timing(), number),
      index(number),
      home(&owner),
      count(&block),
      random(number + 1),
      stacks(owner.stacks()) {}

claim claim_slowly(worker& w, task& t, split_deque::slot* place) noexcept {
  const bool has_replaced = w.tasks.has_replaced();
  const claim result = w.tasks.claim_slowly(t, place);
  if (has_replaced && !w.tasks.has_replaced()) {
    w.probe.reclaim(w.clock);
  }
  return result;
}

void begin_timing(worker& w, timed_task& body) noexcept {
  w.count->queue_length.set(w.tasks.size_estimate());
  if (w.clock.take_delay_request()) {
    w.tasks.ask(request::follow);
  }
  w.clock.begin(body, *w.current);
}

waiter* run_timed(worker& w, task& t, run_kind kind) noexcept {
  const task& seen = delay_probe::behind(t);
  timed_task timing{.subject = &seen, .label = label_of(seen), .kind = kind};
  const stack& here = *w.current;
  begin_timing(w, timing);
  waiter* const ready = t.run(t);
  self()->clock.end(timing, here);
  return ready;
}

[[gnu::noinline]] void answer(worker& w, task* queued) noexcept {
  if (queued != nullptr) {
    w.clock.trace(counters::trace_kind::spawn, reinterpret_cast<std::uintptr_t>(queued));
    if (w.tasks.is_asked_to(request::follow)) {
      w.tasks.withdraw(request::follow);
      w.probe.follow(w.tasks, *queued);
    }
  }
  const bool is_of_thread = w.index >= counters::first_visitor;  // it visits or holds a place
  if (is_of_thread) {
    w.home->note_offering_cpu();
  }
  if (w.tasks.answer()) {
    w.home->wake_to_share(is_of_thread);
  }
}

split_deque::slot* inject(scheduler& home, task& t) noexcept {
  home.inject(t);
  return nullptr;
}

split_deque::slot* start_as(task_priority priority, scheduler& home, task& t) {
  if (priority == task_priority::normal) {
    return start(home, t);
  }
  home.inject(t, priority);
  return nullptr;
}

[[gnu::noinline]] bool take_back_or_wait(task& t,
                                         split_deque::slot* place,
                                         const wait_reason& why) {
  worker& w = *self();
  if (claim_slowly(w, t, place) == claim::mine) {
    return true;
  }
  w.last_join = {.begun = std::chrono::steady_clock::now(), .loop_runs = w.clock.num_loop_runs()};
  wait_for_completion(t, why);
  self()->last_join = {};  // the task that runs next on this worker does not wait at this join
  return false;
}

void run_and_wait(scheduler& home, task& t) {
  home.refuse_in_fork();
  home.inject(t);
  const wait_reason why{.kind = "run", .object = &t};
  wait_for_completion(t, why);
}

void run_visiting_or_wait(scheduler& home, task& t) {
  home.refuse_in_fork();
  if (!home.visit(t)) {
    home.inject(t);
    // acquire: pairs with complete()
  } else if (task::is_final(t.done.load(std::memory_order_acquire))) {
    return;
  }
  const wait_reason why{.kind = "run", .object = &t};
  wait_for_completion(t, why);
}

scheduler& current_scheduler() {
  worker* w = self();
  return w != nullptr ? *w->home : runtime_access::of(default_runtime());
}

void start_surely(scheduler* home, task& t, task_priority priority) noexcept {
  try {
    worker* w = self();
    if (home == nullptr) {
      home = w != nullptr ? w->home : &current_scheduler();
    }
    start_as(priority, *home, t);
  } catch (const std::exception&) {
    // No memory for a longer deque, or no runtime. The queue needs no memory, and the task must
    // run.
    if (home != nullptr) {
      inject(*home, t);
    } else if (waiter* ready = t.run(t)) {
      resume(*ready);
    }
  }
}

}  // namespace weft::tasks::detail
