// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Alarms as tasks: the runtime counts them while they are set, and runs them when they ring.
#include "weft/execution/sleep.hpp"

#include <exception>

#include "weft/execution/runtime_scheduler.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/futures/future_state.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"

#include "tasks/scheduler/scheduler.hpp"

namespace weft::execution::detail {

namespace {

/// Null: there is no worker, and none can be started.
tasks::detail::scheduler* scheduler_here_or_none() noexcept {
  if (const tasks::detail::worker* const w = tasks::detail::self()) {
    return w->home;
  }
  try {
    return &default_scheduler();
  } catch (const std::exception&) {
    return nullptr;  // the timer's thread runs it then
  }
}

}  // namespace

sleep_base::sleep_base(run_function run_it) noexcept
    : task(run_it), alarm({}, &tasks::detail::claim_alarm, [](tasks::detail::alarm& due) noexcept {
        auto& me = static_cast<sleep_base&>(due);
        tasks::detail::start_surely(me.home_, me);
      }) {}

bool sleep_base::begin(tasks::detail::time_point limit) noexcept {
  home_ = scheduler_here_or_none();
  if (home_ != nullptr) {
    home_->external_begin();
  }
  deadline = limit;
  tasks::detail::scheduler* const counted = home_;  // once it is set, it may be over
  if (tasks::detail::set_alarm(*this)) {
    return true;
  }
  if (counted != nullptr) {
    counted->external_end();
  }
  return false;
}

void sleep_base::cancel() noexcept {
  if (tasks::detail::cancel_alarm(*this)) {
    tasks::detail::start_surely(home_, *this);
  }
}

bool sleep_base::end() noexcept {
  if (home_ != nullptr) {
    home_->external_end();
  }
  return at == stage::due;
}

}  // namespace weft::execution::detail
