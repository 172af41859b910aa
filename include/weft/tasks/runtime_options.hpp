// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be chosen about a runtime, and where the choices come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/tasks/timing_mode.hpp"

namespace weft {

/// Where workers may run.
enum class bind_policy : std::uint8_t {
  none,     // wherever the process may: the kernel moves them
  compact,  // worker after worker on neighbouring hardware threads, cores filled one by one
  scatter,  // neighbours far apart: over NUMA nodes first, then cores, then hardware threads
  balanced  // evenly over all cores, neighbours close
};

/// The unit that counts as a place for a worker.
enum class smt_policy : std::uint8_t { all_threads, one_per_core };

/// The reaction to a deadlock.
///
/// A deadlock means that every task waits and nothing can end a wait. It also means that an OS
/// thread waits and no task is left that could end its wait. With several runtimes, none of them
/// may be active, because a task of one may wake another's. A runtime is active, for example, while
/// a task polls, a timer runs or a blocking call is made. While some are active, a runtime whose
/// tasks have only waited for a minute is logged once. Nothing is thrown or aborted then, whatever
/// the option says. The same holds if only an OS thread waits and the process has threads outside
/// weft.
enum class deadlock_action : std::uint8_t { log, raise, abort };

/// Choices for a runtime.
///
/// Example: tests/tasks/runtime_options_test.cpp: an_option_wins_over_a_variable.
struct runtime_options {
  /// The pool in the names of its counters: letters, digits, '_', '.' and '-', and no other
  /// runtime's. Empty: "default" for the default runtime, else "pool-" and a number.
  std::string name = {};
  std::optional<int> workers;  // none: what affinity mask and CPU quota allow
  bind_policy bind = bind_policy::none;
  smt_policy smt = smt_policy::all_threads;
  std::vector<int> cpus = {};  // hardware threads for workers; empty: all that the process may use
  std::size_t stack_size_bytes = std::size_t{1} << 20;  // 64 KiB to 1 GiB
  /// The number of tasks that may run or wait at once, each on a stack; at least the number of
  /// workers. If all stacks are in use, a wait that can fail throws `weft::error`; a join continues
  /// without a stack.
  std::optional<std::size_t> max_stacks;  // none: what there is address space for
  deadlock_action deadlock = deadlock_action::log;
  timing_mode timing = timing_mode::sampled;  // what is traced is timed exactly
  bool print_bind = false;

  std::string help_text;  // not empty: --weft:help was given; print this and stop
};

/// Returns the choices made by `--weft:...` arguments, which are removed from `argv`, else by
/// `WEFT_...` variables, else the defaults. Change what the program itself wants to decide.
///
/// Errors:  `weft::error` that names argument or variable and what is accepted.
[[nodiscard]] runtime_options runtime_options_from(int& argc, char** argv);

/// The same without arguments.
[[nodiscard]] runtime_options runtime_options_from_environment();

}  // namespace weft
