// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads from the launcher and the control group which other ranks run on this node.
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "weft/base/options.hpp"
#include "weft/tasks/placement.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "base/cgroup.hpp"

namespace weft::tasks {

namespace {

struct variable_pair {
  const char* rank;
  const char* num_ranks;
};

constexpr std::array launchers = {
    variable_pair{"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    variable_pair{"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    variable_pair{"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
    variable_pair{"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"}};

/// Removes and returns a number at the start of `text`.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const char* const first = text.data();
  const char* const end = first + text.size();
  const auto [behind, status] = std::from_chars(first, end, number);
  if (status != std::errc{}) {
    return std::nullopt;
  }
  text = std::string_view(behind, end);
  return number;
}

bool take(std::string_view& text, std::string_view what) {
  const bool is_there = text.starts_with(what);
  text.remove_prefix(is_there ? what.size() : 0);
  return is_there;
}

std::optional<int> number_in(const base::environment_lookup& lookup, const char* variable) {
  const std::optional<std::string> text = lookup(variable);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  const std::optional<int> number = take_number(rest);
  return rest.empty() ? number : std::nullopt;
}

/// Returns the entry of node `node` in a list such as "4(x2),3", which stands for 4, 4, 3.
std::optional<int> slurm_entry(std::string_view list, int node) {
  do {
    const std::optional<int> tasks = take_number(list);
    std::optional<int> num_nodes = 1;
    if (take(list, "(x")) {
      num_nodes = take_number(list);
      if (!take(list, ")")) {
        return std::nullopt;
      }
    }
    if (!tasks || !num_nodes) {
      return std::nullopt;
    }
    if (node < *num_nodes) {
      return tasks;
    }
    node -= *num_nodes;
  } while (take(list, ","));
  return std::nullopt;
}

/// Outside a job step, Slurm's variables describe the whole job, and this process is not one of its
/// ranks.
std::optional<local_ranks> slurm_ranks(const base::environment_lookup& lookup) {
  const auto rank = number_in(lookup, "SLURM_LOCALID");
  if (!rank || !lookup("SLURM_STEP_ID")) {
    return std::nullopt;
  }
  const auto node = number_in(lookup, "SLURM_NODEID");
  const auto tasks = lookup("SLURM_STEP_TASKS_PER_NODE");
  const auto here = node && *node >= 0 && tasks ? slurm_entry(*tasks, *node) : std::nullopt;
  const auto num_ranks = here ? here : number_in(lookup, "SLURM_NTASKS_PER_NODE");
  if (!num_ranks) {
    return std::nullopt;
  }
  return local_ranks{.rank = *rank, .num_ranks = *num_ranks, .source = "SLURM_LOCALID"};
}

bool makes_sense(const local_ranks& ranks) {
  return ranks.rank >= 0 && ranks.rank < ranks.num_ranks;
}

}  // namespace

std::optional<local_ranks> read_local_ranks(const base::environment_lookup& lookup) {
  for (const variable_pair& names : launchers) {
    const auto rank = number_in(lookup, names.rank);
    const auto num_ranks = number_in(lookup, names.num_ranks);
    if (rank && num_ranks) {
      local_ranks found{.rank = *rank, .num_ranks = *num_ranks, .source = names.rank};
      if (makes_sense(found)) {
        return found;
      }
    }
  }
  std::optional<local_ranks> found = slurm_ranks(lookup);
  return found && makes_sense(*found) ? found : std::nullopt;
}

std::optional<std::vector<int>> read_shared_cpus(const std::filesystem::path& root) {
  return weft::detail::read_cgroup_cpus(root);
}

placement_request placement_request_from(const runtime_options& options) {
  return {.workers = options.workers,
          .bind = options.bind,
          .smt = options.smt,
          .ranks = read_local_ranks(),
          .shared_cpus = read_shared_cpus(),
          .cpus = options.cpus};
}

}  // namespace weft::tasks
