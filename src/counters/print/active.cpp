// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One printer per process, from the start of its first runtime to the end of the process.
#include "counters/print/active.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

#include "counters/core/localities.hpp"
#include "counters/print/active_printer.hpp"
#include "counters/print/counter_options.hpp"

namespace weft::counters {

namespace {

struct active_set {
  std::mutex mutex;  // protects all members below
  std::optional<detail::counter_plan> plan;
  bool is_started = false;
  bool expects_job = false;
  bool prints_for_job = false;
  int process = 0;  // the process that started the printer
  std::shared_ptr<detail::active_printer> printer;
};

active_set& process_set() {
  // never destroyed, because it is used when the process ends
  static active_set& instance = *new active_set;
  return instance;
}

/// True if the process that is locality 0 prints these counters, should there be a job.
bool is_for_job(const detail::counter_plan& plan) try {
  const auto has_one = [](const detail::counter_request& each) {
    return detail::has_locality(parse_counter_name(each.name));
  };
  return !plan.is_local && std::ranges::any_of(plan.counters, has_one);
} catch (const error&) {
  return false;  // not a name, as the printer will say
}

void keep_at_home(detail::counter_request& request) {
  request.name = to_string(detail::at_own_locality(parse_counter_name(request.name)));
}

/// Returns the printer that this process started; null: none, or the parent process started it.
std::shared_ptr<detail::active_printer> current_printer() {
  active_set& mine = process_set();
  const std::lock_guard guard(mine.mutex);
  return mine.process == getpid() ? mine.printer : nullptr;
}

}  // namespace

namespace detail {

void set_active_plan(const counter_plan& plan) {
  active_set& mine = process_set();
  const std::lock_guard guard(mine.mutex);
  mine.plan = plan;
}

void start_active() {
  active_set& mine = process_set();
  const std::lock_guard guard(mine.mutex);
  if (mine.is_started) {
    return;
  }
  counter_plan plan = mine.plan ? *mine.plan : counter_plan_from_environment();
  if (mine.expects_job && is_for_job(plan)) {
    mine.prints_for_job = own_locality() == 0;
    mine.is_started = !mine.prints_for_job;  // by start_active_of_job
    return;
  }
  if (plan.prints()) {
    try {
      plan.is_for_job = mine.prints_for_job;
      if (plan.is_local) {
        std::ranges::for_each(plan.counters, keep_at_home);
      }
      mine.printer = std::make_shared<active_printer>(plan, process_counters());
      mine.process = getpid();
    } catch (const std::exception& mistake) {
      if (!plan.is_of_environment) {
        throw;
      }
      report_not_counted(mistake);
    }
  }
  mine.is_started = true;
}

void expect_job(bool is_expected) {
  active_set& mine = process_set();
  const std::lock_guard guard(mine.mutex);
  mine.expects_job = is_expected;
  if (is_expected && mine.is_started && mine.printer != nullptr &&
      is_for_job(mine.plan ? *mine.plan : counter_plan_from_environment())) {
    send_message(
        "weft: each process prints its own counters, as a runtime started before the job did: make "
        "the weft::distributed::runtime first, from argc and argv\n");
  }
}

void start_active_of_job() {
  expect_job(false);
  start_active();
}

void finish_active_of_job() noexcept {
  active_set& mine = process_set();
  bool is_due = false;
  {
    const std::lock_guard guard(mine.mutex);
    is_due = mine.prints_for_job;
  }
  if (is_due) {
    finish_active();
  }
}

void finish_active() noexcept try {
  if (const auto printer = current_printer()) {
    printer->finish();
  }
} catch (const std::exception& problem) {
  send_message("weft: counters could not be printed: " + std::string(problem.what()) + '\n');
}

}  // namespace detail

void evaluate_active(std::string_view description) {
  if (const auto printer = current_printer()) {
    printer->print(description);
  }
}

void reset_active() {
  if (const auto printer = current_printer()) {
    printer->reset();
  }
}

}  // namespace weft::counters
