// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The running task's identity, yielding, and sleeping.
#include "weft/tasks/this_task.hpp"

#include <source_location>

#include <sched.h>

#include "weft/tasks/detail/scheduler/identity.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/waiting/alarm.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

#include "tasks/scheduler/scheduler.hpp"

namespace weft {
namespace tasks::detail {

[[gnu::noinline]] const void* identity_of_thread() noexcept {
  return static_cast<const void*>(&weft_current_worker);
}

void sleep_until(time_point limit, const std::source_location& where) {
  const wait_reason why{.kind = "sleep", .where = where};
  wait_until(why, limit, [](waiter&) noexcept { return true; }, [](waiter&) noexcept {});
}

}  // namespace tasks::detail

void this_task::yield(const std::source_location& where) {
  using namespace tasks::detail;
  worker* w = self();
  if (w == nullptr) {
    sched_yield();
    return;
  }
  if (w->home->is_queue_empty() && w->tasks.looks_empty()) {
    return;
  }
  w->count->yields.add(1);
  const wait_reason why{.kind = "yield", .where = where};
  wait(why, [](waiter& node) noexcept { return resume_later(node); });
}

}  // namespace weft
