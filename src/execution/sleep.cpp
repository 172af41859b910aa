// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Alarms as tasks: the runtime counts alarms while they are set, and runs their tasks when they are
// due.
#include "weft/execution/sleep.hpp"

#include <exception>

#include "weft/execution/runtime_scheduler.hpp"
#include "weft/tasks/alarm.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::execution::detail {

namespace {

/// Returns null if no runtime is here and none can be started.
tasks::scheduler* scheduler_here_or_none() noexcept {
  if (tasks::scheduler* const here = tasks::scheduler_here()) {
    return here;
  }
  try {
    return &default_scheduler();
  } catch (const std::exception&) {
    return nullptr;  // the timer's thread then runs the task
  }
}

}  // namespace

sleep_base::sleep_base(run_function run_it) noexcept
    : tasks::work_item(run_it), alarm({}, &tasks::claim_alarm, [](tasks::alarm& due) noexcept {
        auto& me = static_cast<sleep_base&>(due);
        tasks::start_surely(me.home_, me);
      }) {}

bool sleep_base::begin(tasks::time_point limit) noexcept {
  home_ = scheduler_here_or_none();
  if (home_ != nullptr) {
    tasks::outside_work_begins(*home_);
  }
  deadline = limit;
  tasks::scheduler* const counted = home_;  // after set_alarm, this object may already be destroyed
  if (tasks::set_alarm(*this)) {
    return true;
  }
  if (counted != nullptr) {
    tasks::outside_work_ends(*counted);
  }
  return false;
}

void sleep_base::cancel() noexcept {
  if (tasks::cancel_alarm(*this)) {
    tasks::start_surely(home_, *this);
  }
}

bool sleep_base::end() noexcept {
  if (home_ != nullptr) {
    tasks::outside_work_ends(*home_);
  }
  return at == stage::due;
}

}  // namespace weft::execution::detail
