// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of all options of the task runtime.
#include "tasks/runtime/runtime_options.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include <unistd.h>

#include "weft/base/options.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/timing_mode.hpp"

#include "tasks/runtime/policy_switch.hpp"

namespace weft {

namespace tasks::detail {

namespace {

/// Counts as `read_topology` does, but without reading the machine, because an option may be parsed
/// anywhere.
int num_online_cpus() noexcept {
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

base::option_parser<int> number_of_workers() {
  base::option_parser<int> parser = base::whole_number(1, most_workers(num_online_cpus()));
  parser.accepts += ", for example 2; without it there are as many as CPUs may be used";
  return parser;
}

void register_workers(base::option_registry& registry) {
  registry.add({.name = "workers",
                .environment = "WEFT_WORKERS",
                .help = "Number of workers; each is a thread of the operating system.",
                .default_text = "what affinity mask and CPU quota allow"},
               number_of_workers());
  registry.add(
      {.name = "bind",
       .environment = "WEFT_BIND",
       .help = "Where workers may run: wherever the process may (none), on neighbouring hardware "
               "threads (compact), far apart (scatter), evenly over the cores (balanced).",
       .default_text = "none"},
      base::one_of<bind_policy>({{"none", bind_policy::none},
                                 {"compact", bind_policy::compact},
                                 {"scatter", bind_policy::scatter},
                                 {"balanced", bind_policy::balanced}}));
  registry.add({.name = "smt",
                .environment = "WEFT_SMT",
                .help = "What a worker is given: a hardware thread (all) or a core (one-per-core).",
                .default_text = "all"},
               base::one_of<smt_policy>(
                   {{"all", smt_policy::all_threads}, {"one-per-core", smt_policy::one_per_core}}));
}

}  // namespace

int most_workers(int num_cpus) noexcept { return std::max(1024, 16 * num_cpus); }

void register_runtime_options(base::option_registry& registry) {
  register_workers(registry);
  registry.add({.name = "print-bind",
                .environment = "WEFT_PRINT_BIND",
                .help = "Prints where each worker may run.",
                .default_text = "no",
                .bare_value = "yes"},
               base::yes_or_no());
  registry.add({.name = "stack-size",
                .environment = "WEFT_STACK_SIZE",
                .help = "Address space of a task's stack; memory is taken as it is touched.",
                .default_text = "1 MiB"},
               base::size_in_bytes(smallest_stack_bytes, largest_stack_bytes));
  registry.add({.name = "max-stacks",
                .environment = "WEFT_MAX_STACKS",
                .help = "How many tasks may run or wait at once, each on a stack.",
                .default_text = "what there is address space for"},
               base::whole_number(1, std::numeric_limits<int>::max()));
  registry.add({.name = "deadlock",
                .environment = "WEFT_DEADLOCK",
                .help = "What to do when every task waits and nothing can end a wait.",
                .default_text = "log"},
               base::one_of<deadlock_action>({{"log", deadlock_action::log},
                                              {"throw", deadlock_action::raise},
                                              {"abort", deadlock_action::abort}}));
  registry.add({.name = "timing",
                .environment = "WEFT_TIMING",
                .help = "Which tasks are timed: none (counts), some, the longer they are the more "
                        "(sampled), or all (exact).",
                .default_text = "sampled"},
               base::one_of<timing_mode>({{"counts", timing_mode::counts},
                                          {"sampled", timing_mode::sampled},
                                          {"exact", timing_mode::exact}}));
  register_policy_option(registry);
}

runtime_options read_runtime_options(const base::option_registry& registry) {
  runtime_options options;
  options.workers = registry.value<int>("workers");
  options.bind = registry.value<bind_policy>("bind").value_or(options.bind);
  options.timing = registry.value<timing_mode>("timing").value_or(options.timing);
  options.smt = registry.value<smt_policy>("smt").value_or(options.smt);
  options.print_bind = registry.value<bool>("print-bind").value_or(options.print_bind);
  options.stack_size_bytes =
      registry.value<std::size_t>("stack-size").value_or(options.stack_size_bytes);
  if (const auto max_stacks = registry.value<int>("max-stacks")) {
    options.max_stacks = static_cast<std::size_t>(*max_stacks);
  }
  options.deadlock = registry.value<deadlock_action>("deadlock").value_or(options.deadlock);
  if (registry.wants_help()) {
    options.help_text = registry.help_text();
  }
  return options;
}

runtime_options usable_options() {
  base::option_registry registry;
  register_runtime_options(registry);
  registry.read_environment(base::process_environment, base::bad_variable::is_ignored);
  return read_runtime_options(registry);
}

}  // namespace tasks::detail

runtime_options runtime_options_from(int& argc, char** argv) {
  base::option_registry registry;
  tasks::detail::register_runtime_options(registry);
  registry.read_environment();
  registry.read_command_line(argc, argv);
  return tasks::detail::read_runtime_options(registry);
}

runtime_options runtime_options_from_environment() {
  base::option_registry registry;
  tasks::detail::register_runtime_options(registry);
  registry.read_environment();
  return tasks::detail::read_runtime_options(registry);
}

}  // namespace weft
