// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process around run_bench: placement first, then the standard streams.
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/topology.hpp"

#include "lab/harness/bench.hpp"
#include "lab/harness/build_info.hpp"
#include "lab/harness/cells.hpp"
#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/options.hpp"
#include "lab/harness/placement.hpp"

namespace weft::lab {
namespace {

/// Starts the program again if the command line asks for a placement that is possible; run_bench
/// does everything else.
void apply_placement(std::span<const std::string> arguments, const suite& what, char** argv) {
  if (!held_since_start().empty()) {
    return;
  }
  try {
    const command_line options = parse_command_line(arguments);
    if (!options.names_placement) {
      return;
    }
    const base::topology machine = base::read_topology({.reader = base::topology_reader::sysfs});
    const cell placed = with_default_threads(options.defaults, what, machine.usable_cpus().cpus);
    const cpu_choice choice = choose_cpus(machine, placement_of(placed));
    if (!choice.impossible && !choice.hardware_threads.empty()) {
      restart_held_to(
          choice.hardware_threads, placed.placement == "cores" && has_openmp_runtime(), argv);
    }
  } catch (const bad_cell&) {
    return;  // run_bench reports it as a record
  }
}

}  // namespace

int bench_main(int argc, char** argv, const suite& what) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const build_info build = this_build();
  try {
    apply_placement(arguments, what, argv);
  } catch (const error& problem) {
    std::cerr << build.program << ": " << problem.what() << '\n';
    return 1;
  }
  std::ios::sync_with_stdio(false);
  return run_bench(arguments,
                   what,
                   build,
                   {.in = std::cin,
                    .out = std::cout,
                    .errors = std::cerr,
                    .out_is_terminal = isatty(STDOUT_FILENO) == 1});
}

}  // namespace weft::lab
