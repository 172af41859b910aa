// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the process may run: `placement` and `smt` of a cell, converted to an affinity mask.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weft/base/topology.hpp"

#include "lab/harness/experiment.hpp"

namespace weft::lab {

/// The settings that belong to the process and not to a single cell.
struct process_placement {
  std::string placement = "none";
  std::string smt = "on";
  int threads = 0;  // of `placement == "cores"`

  friend bool operator==(const process_placement&, const process_placement&) = default;
};

[[nodiscard]] process_placement placement_of(const cell& what);

/// The hardware threads to bind the process to (empty: no restriction), or why that is impossible.
struct cpu_choice {
  std::vector<int> hardware_threads;
  std::optional<skip> impossible;
};

/// Chooses among the hardware threads this process may use.
///
/// `cores`: one hardware thread of each of the first `threads` cores. `smt` "off": the first
/// hardware thread of every core; if no core has two, the cell equals the one without `smt` and is
/// skipped.
[[nodiscard]] cpu_choice choose_cpus(const base::topology& machine,
                                     const process_placement& wanted);

/// Restricts the calling thread, and threads that it starts later, to these hardware threads.
///
/// Errors:  `weft::error` if the kernel refuses.
void hold_to(const std::vector<int>& hardware_threads);

/// Binds the process to `hardware_threads` and starts the program again, for runtimes that read the
/// mask or OMP_PLACES while the program is loaded. Sets OMP_PLACES and OMP_PROC_BIND if
/// `bind_openmp` is true and the user has not set them.
///
/// Returns only in the restarted program, where it does nothing.
/// Errors:  `weft::error` if the program cannot be started again.
void restart_held_to(const std::vector<int>& hardware_threads, bool bind_openmp, char** argv);

/// Returns the hardware threads that `restart_held_to` bound this program to; none if it did not.
[[nodiscard]] std::vector<int> held_since_start();

/// Reads the machine as this program may use it, even if OpenMP has already bound this thread to
/// one core.
[[nodiscard]] base::topology read_machine();

/// Returns whether an OpenMP runtime is loaded into this program.
[[nodiscard]] bool has_openmp_runtime();

}  // namespace weft::lab
