// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running and joining a thread that is a task.
#include "weft/tasks/thread.hpp"

#include <exception>
#include <source_location>

#include "weft/base/error.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/futures/thread_state.hpp"
#include "weft/tasks/detail/scheduler/identity.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/detail/sync/held_locks.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/runtime.hpp"

#include "tasks/runtime/runtime_access.hpp"
#include "tasks/scheduler/scheduler.hpp"

namespace weft {
namespace tasks::detail {

waiter* thread_state::run_as(void (*body)(thread_state&)) noexcept {
  stack& here = *self()->current;
  const void* const before = here.identity;
  here.identity = this;
  {
    [[maybe_unused]] const lock_balance balance;
    body(*this);
  }
  here.identity = before;
  waiter* const ready = complete(*this, finished);
  drop_owner();
  return ready;
}

void start_thread_state(task_priority priority, thread_state& state) {
  start_as(priority, current_scheduler(), state);
}

void check_joinable(const thread_state* state) {
  if (state == nullptr) {
    throw error(
        errc::invalid_status,
        "weft::thread: it is not joinable: it was never started, or joined, detached or moved from "
        "before; ask joinable() first");
  }
}

void join_thread(thread_state* state, const std::source_location& where) {
  check_joinable(state);
  if (state == current_identity()) {
    throw error(errc::deadlock,
                "weft::thread: deadlock: it joins itself; join it from another task");
  }
  const wait_reason why{.kind = "thread", .object = state, .where = where};
  wait_for_completion(*state, why);
}

}  // namespace tasks::detail

unsigned thread::hardware_concurrency() {
  return static_cast<unsigned>(tasks::detail::runtime_access::of(default_runtime()).num_asked());
}

void thread::end_program_if_joinable() const noexcept {
  if (joinable()) {
    std::terminate();
  }
}

}  // namespace weft
