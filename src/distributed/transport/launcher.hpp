// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a process knows that it is one of several.
#pragma once

#include <algorithm>
#include <string>

#include "weft/base/options.hpp"

namespace weft::distributed::detail {

/// The variable by which a launcher of MPI programs told this process its place; null: none did.
[[nodiscard]] inline const char* launcher_variable() {
  static constexpr const char* variables[] = {
      "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
  const auto* const found = std::ranges::find_if(
      variables, [](const char* each) { return base::process_environment(each).has_value(); });
  return found == std::end(variables) ? nullptr : *found;
}

}  // namespace weft::distributed::detail
