// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a waiting thread runs the work it waits for, and how work reaches a runtime.
#include "weft/execution/sync_wait.hpp"

#include <atomic>
#include <exception>
#include <new>
#include <source_location>
#include <utility>

#include "weft/execution/runtime_scheduler.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::execution::detail {

using tasks::waiter;
using tasks::work_item;
using tasks::worker;

waiting_side::waiting_side() noexcept
    : at_work_(tasks::self() != nullptr ? tasks::current_identity() : nullptr) {}

/// Runs the task that was queued last, if it is still queued. Returns true if it ran.
bool waiting_side::run_offered() noexcept {
  work_item* const t = std::exchange(offered_, nullptr);
  worker* const w = tasks::self();
  if (t == nullptr || tasks::is_short_of_stack(*w)) {
    return false;
  }
  return tasks::run_if_queued(*w, *t, static_cast<tasks::queue_slot*>(place_));
}

void waiting_side::wait_until_finished(const std::source_location& where) noexcept {
  // relaxed: as in share_scheduler()
  while (!is_shared_.load(std::memory_order_relaxed) && is_idle() && run_offered()) {
  }
  at_work_.store(nullptr, std::memory_order_relaxed);
  run(where);
}

void throw_error_of_sender(std::exception_ptr error) { std::rethrow_exception(std::move(error)); }

void start_task(tasks::scheduler& home, work_item& t) noexcept {
  try {
    tasks::start(home, t);
  } catch (const std::bad_alloc&) {
    tasks::inject(home, t);  // the deque could not grow; the queue needs no memory
  }
}

void start_task_for(waiting_side& side, tasks::scheduler& home, work_item& t) noexcept {
  worker* const w = tasks::self();
  if (w == nullptr || w->home != &home || !side.is_at_work(tasks::identity_of(*w))) {
    start_task(home, t);
    return;
  }
  try {
    side.offer(t, tasks::start_here(*w, t));
  } catch (const std::bad_alloc&) {
    tasks::inject(home, t);
  }
}

tasks::scheduler& default_scheduler() { return tasks::scheduler_of(default_runtime()); }

}  // namespace weft::execution::detail

namespace weft {

execution::runtime_scheduler runtime::get_scheduler() noexcept {
  return execution::runtime_scheduler(*scheduler_);
}

}  // namespace weft
