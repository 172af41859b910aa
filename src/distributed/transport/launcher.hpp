// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a process detects that it is one of several.
#pragma once

#include <algorithm>
#include <string>

#include "weft/base/options.hpp"

namespace weft::distributed::detail {

/// Returns the environment variable by which a launcher of MPI programs gave this process its rank;
/// null: none.
[[nodiscard]] inline const char* launcher_variable() {
  // SLURM_PROCID is also set in a batch script, which is not one of several processes.
  static constexpr const char* variables[] = {
      "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"};
  if (const auto tasks = base::process_environment("SLURM_STEP_NUM_TASKS");
      tasks && *tasks != "1" && base::process_environment("SLURM_PROCID")) {
    return "SLURM_STEP_NUM_TASKS";
  }
  const auto* const found = std::ranges::find_if(
      variables, [](const char* each) { return base::process_environment(each).has_value(); });
  return found == std::end(variables) ? nullptr : *found;
}

}  // namespace weft::distributed::detail
