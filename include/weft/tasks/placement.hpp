// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many workers a runtime has, on which CPUs they may run, and whom they steal from first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/options.hpp"
#include "weft/base/topology.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace weft::tasks {

/// This process's number among the processes of one parallel program on this node.
struct local_ranks {
  int rank = 0;
  int num_ranks = 1;
  std::string source;  // the variable that said so
};

/// Returns what the launcher said about ranks on this node; nothing if there was none.
///
/// The first complete pair counts:
/// - OMPI_COMM_WORLD_LOCAL_RANK and _SIZE (Open MPI)
/// - MPI_LOCALRANKID and MPI_LOCALNRANKS (MPICH's Hydra, Intel MPI)
/// - MV2_COMM_WORLD_LOCAL_RANK and _SIZE (MVAPICH)
/// - PMI_LOCAL_RANK and PMI_LOCAL_SIZE (PALS)
/// - inside a job step (SLURM_STEP_ID is set): SLURM_LOCALID and the entry of SLURM_NODEID in
///   SLURM_STEP_TASKS_PER_NODE, or else SLURM_NTASKS_PER_NODE
///
/// An invalid pair is ignored.
[[nodiscard]] std::optional<local_ranks> read_local_ranks(
    const base::environment_lookup& lookup = base::process_environment);

/// Returns the CPUs that all processes of this process's control group share; nothing if unknown.
[[nodiscard]] std::optional<std::vector<int>> read_shared_cpus(
    const std::filesystem::path& root = "/");

/// The placement of workers that a program requests.
struct placement_request {
  std::optional<int> workers;  // none: one for each place this process may use
  bind_policy bind = bind_policy::none;
  smt_policy smt = smt_policy::all_threads;
  std::optional<local_ranks> ranks = std::nullopt;
  /// A mask that equals this one is shared by the ranks of this node; none: all CPUs.
  std::optional<std::vector<int>> shared_cpus = std::nullopt;
  std::vector<int> cpus = {};  // that workers may run on; empty: all that the process may use
};

/// Returns the request of `options` by this process, as launched and confined.
[[nodiscard]] placement_request placement_request_from(const runtime_options& options);

/// Whether the plan for `request` depends on cores, caches and NUMA nodes. If not,
/// `base::topology_reader::cpu_list` reads all that it needs.
/// Example: tests/tasks/placement_test.cpp: only_some_plans_need_more_than_the_list_of_cpus.
[[nodiscard]] bool needs_topology(const placement_request& request) noexcept;

/// Which CPUs each worker may run on.
struct placement_plan {
  std::vector<std::vector<int>> cpus;  // of each worker: hardware thread ids, ascending
  std::vector<int> process_cpus;       // that this process may use: its mask, or its rank's part
  std::string workers_source;          // what decided the number of workers
  bind_policy bind = bind_policy::none;
  bool sets_affinity = false;         // a worker's CPUs differ from the process's affinity mask
  std::vector<std::string> warnings;  // whole sentences

  [[nodiscard]] int num_workers() const { return static_cast<int>(cpus.size()); }
};

/// Decides how many workers there are and where each may run.
///
/// If the masks of a node's ranks contain all the CPUs that they share, each rank gets neighbouring
/// cores, by local rank. Ranks that their launcher has bound to different CPUs keep their masks.
/// Cost:    allocates; no system call: `machine` and `request` are all it looks at.
/// Errors:  `weft::error` for a number of workers below 1, or above both 1024 and 16 per CPU. Also
///          for a CPU that the process may not use.
/// Example: tests/tasks/placement_test.cpp: ranks_that_share_a_node_split_its_cores.
[[nodiscard]] placement_plan place_workers(const base::topology& machine,
                                           const placement_request& request);

/// Returns the CPUs of a NUMA node that this process may use, ascending.
/// Errors:  `weft::error` if there is no such node, or none of its CPUs may be used.
/// Example: tests/tasks/placement_test.cpp: a_numa_node_has_those_of_its_cpus_that_may_be_used.
[[nodiscard]] std::vector<int> cpus_of_numa_node(const base::topology& machine,
                                                 const placement_request& request,
                                                 int node);

/// Returns the table that --weft:print-bind prints: worker, CPUs, cores, NUMA nodes.
[[nodiscard]] std::string print_binding(const placement_plan& plan, const base::topology& machine);

/// The closest resource that two workers share.
enum class distance : std::uint8_t { core, l2, l3, numa_node, package, machine, unknown };

/// Workers that are equally far from a thief.
struct victim_group {
  distance far = distance::unknown;
  std::vector<int> workers;  // the thief's successors first, then from 0
};

/// Returns all other workers, nearest first. Without binding the distances are unknown: one group.
[[nodiscard]] std::vector<victim_group> steal_order(const placement_plan& plan,
                                                    const base::topology& machine,
                                                    int worker);

}  // namespace weft::tasks
