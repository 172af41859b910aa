// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtimes and the default runtime.
#include "weft/tasks/runtime.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/base/options.hpp"
#include "weft/base/topology.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/placement.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "counters/print/active.hpp"
#include "counters/print/counter_options.hpp"
#include "counters/print/list_text.hpp"
#include "counters/trace/trace_options.hpp"
#include "tasks/runtime/policy_switch.hpp"
#include "tasks/runtime/process_generation.hpp"
#include "tasks/runtime/runtime_access.hpp"
#include "tasks/runtime/runtime_options.hpp"
#include "tasks/runtime/runtime_parts.hpp"
#include "tasks/scheduler/scheduler.hpp"

namespace weft {
namespace {

using tasks::placement_plan;

std::size_t checked_stack_size(std::size_t size_bytes) {
  using tasks::detail::largest_stack_bytes;
  using tasks::detail::smallest_stack_bytes;
  if (size_bytes < smallest_stack_bytes || size_bytes > largest_stack_bytes) {
    throw error("stacks of " + std::to_string(size_bytes) +
                " bytes: runtime_options::stack_size_bytes takes " +
                std::to_string(smallest_stack_bytes) + " (64 KiB) to " +
                std::to_string(largest_stack_bytes) + " (1 GiB)");
  }
  return size_bytes;
}

base::option_registry all_options() {
  base::option_registry registry;
  tasks::detail::register_runtime_options(registry);
  counters::detail::register_counter_options(registry);
  counters::detail::register_trace_options(registry);
  return registry;
}

void tell_misspelt_variables_once() {
  static const bool is_reported = [] {
    all_options().tell_misspelt_variables(
        {"WEFT_HALO_VALIDATE", "WEFT_PROFILE", "WEFT_STATS", "WEFT_STATS_DIR"});
    return true;
  }();
  static_cast<void>(is_reported);
}

struct defaults {
  std::mutex mutex;
  std::optional<runtime_options> options;
  std::unique_ptr<runtime> instance;
  std::uint32_t process = 0;  // the process that started `instance`
  bool is_used = false;       // by other code than init: its end is registered
};

/// The running default runtime, for callers without the lock. Written under the lock.
constinit std::atomic<runtime*> runtime_in_use{nullptr};

/// Never destroyed: objects that are destroyed later may start the runtime again.
defaults& process_defaults() {
  static defaults& instance = *new defaults;
  return instance;
}

/// Prints counters and ends the default runtime when the process ends. If the process ends within a
/// task, or a task's blocking call, the workers end with it. That task never ends, nor do tasks
/// that wait for it.
void end_process() {
  defaults& mine = process_defaults();
  const bool ends_runtime =
      mine.instance != nullptr && tasks::detail::runtime_of_caller() == nullptr;
  if (ends_runtime && mine.process == tasks::detail::process_generation()) {
    tasks::detail::wait_until_all_idle(*mine.instance);
  }
  counters::detail::finish_active();
  if (!ends_runtime) {
    return;
  }
  mine.is_used = false;
  runtime* const ending = mine.instance.get();
  delete ending;  // its last tasks may still use it through `instance`
  const std::lock_guard guard(mine.mutex);
  runtime_in_use.store(nullptr, std::memory_order_relaxed);
  static_cast<void>(mine.instance.release());
}

/// Calls `function` when the process exits. Objects made before this call are destroyed after the
/// tasks have ended.
/// Errors:  std::bad_alloc.
void call_at_exit(void (*function)()) {
  if (std::atexit(function) != 0) {
    throw std::bad_alloc();
  }
}

/// Makes a process without a default runtime print its counters, too.
void print_counters_at_exit() {
  static const bool is_registered = (call_at_exit(end_process), true);
  static_cast<void>(is_registered);
}

/// False: the default runtime already runs, and keeps its options.
bool set_default_options(const runtime_options& options) {
  defaults& mine = process_defaults();
  const std::lock_guard guard(mine.mutex);
  if (mine.instance != nullptr) {
    return false;
  }
  mine.options = options;
  return true;
}

}  // namespace

deadlock_action tasks::detail::default_deadlock_action() {
  defaults& mine = process_defaults();
  const std::lock_guard guard(mine.mutex);
  return (mine.options ? *mine.options : usable_options()).deadlock;
}

runtime::runtime() : runtime(tasks::detail::usable_options()) {}

runtime::runtime(const runtime_options& options) {
  tell_misspelt_variables_once();
  const std::size_t stack_size_bytes = checked_stack_size(options.stack_size_bytes);
  const tasks::placement_request request = tasks::placement_request_from(options);
  using base::topology_reader;
  const base::topology machine =
      base::read_topology({.reader = tasks::needs_topology(request) ? topology_reader::automatic
                                                                    : topology_reader::cpu_list});
  const placement_plan plan = tasks::place_workers(machine, request);
  for (const std::string& warning : plan.warnings) {
    send_message("weft: " + warning + '\n');
  }
  tasks::detail::scheduler_options wanted{.name = options.name,
                                          .num_workers = static_cast<unsigned>(plan.num_workers()),
                                          .stacks = {.size_bytes = stack_size_bytes}};
  const auto num_cpus = static_cast<int>(machine.hardware_threads.size());
  wanted.max_workers = static_cast<unsigned>(tasks::detail::most_workers(num_cpus));
  if (plan.sets_affinity) {
    wanted.cpus = plan.cpus;
  }
  wanted.stacks.max_stacks = options.max_stacks.value_or(wanted.stacks.max_stacks);
  wanted.deadlock = options.deadlock;
  wanted.timing = options.timing;
  // Without binding all victims are equally near.
  const int num_orders = plan.bind == bind_policy::none ? 0 : plan.num_workers();
  for (int i = 0; i < num_orders; ++i) {
    auto& groups = wanted.victims.emplace_back();
    for (tasks::victim_group& group : tasks::steal_order(plan, machine, i)) {
      groups.push_back(std::move(group.workers));
    }
  }
  parts_ = std::make_unique<tasks::detail::runtime_parts>(options);
  scheduler_ = std::make_unique<tasks::detail::scheduler>(wanted);
  print_counters_at_exit();
  counters::detail::start_active();
}

runtime::~runtime() {
  if (tasks::detail::runtime_of_caller() == scheduler_.get()) {
    scheduler_.reset();  // reports the task that destroys its own runtime, and ends the process
  }
  if (!parts_->is_of_this_process()) {
    return;
  }
  tasks::detail::wait_until_all_idle(*this);
}

void runtime::wait_until_idle() {
  if (tasks::detail::runtime_of_caller() == scheduler_.get()) {
    throw error(
        "runtime::wait_until_idle was called by one of the runtime's own tasks, for which it would "
        "wait for ever: call it from a thread that runs none of them, or wait for the futures of "
        "what was started");
  }
  scheduler_->wait_until_quiescent();
}

void runtime::resize(int num_workers) { scheduler_->resize(num_workers); }

int runtime::num_workers() const noexcept { return static_cast<int>(scheduler_->num_workers()); }

namespace {

/// Returns the default runtime, which it starts if necessary. Call it under the lock.
runtime& started(defaults& mine) {
  const std::uint32_t process = tasks::detail::process_generation();
  if (mine.process != process) {
    // In a fork the workers do not exist, and the state that they share cannot be destroyed.
    static_cast<void>(mine.instance.release());
    mine.process = process;
  }
  if (mine.instance == nullptr) {
    runtime_options options = mine.options ? *mine.options : tasks::detail::usable_options();
    if (options.name.empty()) {
      options.name = "default";
    }
    mine.instance = std::make_unique<runtime>(options);
  }
  return *mine.instance;
}

}  // namespace

runtime& default_runtime() {
  // acquire: pairs with the release below. A fork does not use the parent's runtime.
  runtime* const known = runtime_in_use.load(std::memory_order_acquire);
  if (known != nullptr && tasks::detail::runtime_access::of(*known).is_of_this_process())
      [[likely]] {
    return *known;
  }
  defaults& mine = process_defaults();
  const std::lock_guard guard(mine.mutex);
  runtime& instance = started(mine);
  if (!mine.is_used) {
    call_at_exit(end_process);
    mine.is_used = true;
  }
  runtime_in_use.store(&instance, std::memory_order_release);
  return instance;
}

namespace {

init_result read_arguments(int& argc, char** argv) {
  base::option_registry registry = all_options();
  registry.read_environment(base::process_environment, base::bad_variable::is_ignored);
  const int num_arguments = argc;
  registry.read_command_line(argc, argv);
  const bool has_own_arguments = argc != num_arguments;
  const counters::detail::counter_plan plan = counters::detail::read_counter_options(registry);
  const runtime_options options = tasks::detail::read_runtime_options(registry);
  if (!options.help_text.empty()) {
    return {.text = options.help_text, .should_exit = true};
  }
  if (!set_default_options(options) && has_own_arguments) {
    throw error(
        "weft::init came too late: the default runtime runs already; call it first in main");
  }
  tasks::detail::set_policies(registry);
  counters::detail::start_trace_as_asked(registry);
  init_result result{.text = {}, .should_exit = plan.should_exit, .is_list = plan.lists()};
  if (options.print_bind) {
    const base::topology machine = base::read_topology();
    result.text = tasks::print_binding(
        tasks::place_workers(machine, tasks::placement_request_from(options)), machine);
  }
  counters::detail::set_active_plan(plan.should_exit ? counters::detail::counter_plan{} : plan);
  if (plan.lists() || (plan.prints() && !plan.should_exit)) {
    defaults& mine = process_defaults();
    const std::lock_guard guard(mine.mutex);
    started(mine);  // registers the counters, and starts to print them
  }
  result.text += counters::detail::lists_text(plan);
  return result;
}

}  // namespace

void init(int& argc, char** argv) {
  init_result asked;
  try {
    asked = read_arguments(argc, argv);
  } catch (const error& mistake) {
    send_message("weft: " + std::string(mistake.what()) + '\n');
    std::exit(2);
  }
  std::fputs(asked.text.c_str(), stdout);
  if (asked.should_exit || asked.is_list) {
    std::exit(0);
  }
}

init_result try_init(int& argc, char** argv) { return read_arguments(argc, argv); }

}  // namespace weft
