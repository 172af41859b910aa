// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How one who waits runs what it waits for, and how work gets to a runtime.
#include "weft/execution/sync_wait.hpp"

#include <atomic>
#include <exception>
#include <new>
#include <source_location>
#include <utility>

#include "weft/execution/runtime_scheduler.hpp"
#include "weft/tasks/detail/counters/task_clock.hpp"
#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/identity.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/runtime.hpp"

#include "tasks/runtime/runtime_access.hpp"
#include "tasks/scheduler/scheduler.hpp"

namespace weft::execution::detail {

using tasks::detail::split_deque;
using tasks::detail::task;
using tasks::detail::waiter;
using tasks::detail::worker;

waiting_side::waiting_side() noexcept
    : at_work_(tasks::detail::self() != nullptr ? tasks::detail::current_identity() : nullptr) {}

/// True if the task that was queued last is no longer there but has run.
bool waiting_side::run_offered() noexcept {
  task* const t = std::exchange(offered_, nullptr);
  worker* const w = tasks::detail::self();
  if (t == nullptr || tasks::detail::is_short_of_stack(*w)) {
    return false;
  }
  if (!w->tasks.claim_any(*t) &&
      !tasks::detail::claim_inside(*w, *t, static_cast<split_deque::slot*>(place_))) {
    return false;
  }
  if (waiter* ready = tasks::detail::run_counted(*w, *t, tasks::detail::run_kind::called)) {
    tasks::detail::resume(*ready);
  }
  return true;
}

void waiting_side::wait_until_finished(const std::source_location& where) noexcept {
  // relaxed: as in share_scheduler()
  while (!is_shared_.load(std::memory_order_relaxed) && is_idle() && run_offered()) {
  }
  at_work_.store(nullptr, std::memory_order_relaxed);
  run(where);
}

void throw_error_of_sender(std::exception_ptr error) { std::rethrow_exception(std::move(error)); }

void start_task(tasks::detail::scheduler& home, task& t) noexcept {
  try {
    tasks::detail::start(home, t);
  } catch (const std::bad_alloc&) {
    tasks::detail::inject(home, t);  // the deque could not grow; the queue needs no memory
  }
}

void start_task_for(waiting_side& side, tasks::detail::scheduler& home, task& t) noexcept {
  worker* const w = tasks::detail::self();
  if (w == nullptr || w->home != &home || !side.is_at_work(w->current->identity)) {
    start_task(home, t);
    return;
  }
  try {
    side.offer(t, tasks::detail::start_here(*w, t));
  } catch (const std::bad_alloc&) {
    tasks::detail::inject(home, t);
  }
}

tasks::detail::scheduler& default_scheduler() {
  return tasks::detail::runtime_access::of(default_runtime());
}

}  // namespace weft::execution::detail

namespace weft {

execution::runtime_scheduler runtime::get_scheduler() noexcept {
  return execution::runtime_scheduler(*scheduler_);
}

}  // namespace weft
