// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One printer per process, from the start of its first runtime to the end of the process.
#include "counters/print/active.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

#include "weft/base/message.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

#include "counters/print/active_printer.hpp"
#include "counters/print/counter_options.hpp"

namespace weft::counters {

namespace {

struct active_set {
  std::mutex mutex;  // protects all members below
  std::optional<detail::counter_plan> plan;
  bool is_started = false;
  int process = 0;  // the process that started the printer
  std::shared_ptr<detail::active_printer> printer;
};

active_set& process_set() {
  // never destroyed, because it is used when the process ends
  static active_set& instance = *new active_set;
  return instance;
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
  const counter_plan plan = mine.plan ? *mine.plan : counter_plan_from_environment();
  if (plan.prints()) {
    try {
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
