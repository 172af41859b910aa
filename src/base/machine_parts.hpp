// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result of a topology reader, before it is ordered.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "weft/base/topology.hpp"

namespace weft::detail {

/// A hardware thread and the smallest id on its core, which identifies the core.
struct placed_thread {
  int id = 0;
  int core_leader = 0;
  int package = 0;
};

struct machine_parts {
  std::vector<placed_thread> threads;
  std::vector<base::cache> caches;
  std::vector<base::numa_node> numa_nodes;
};

[[nodiscard]] machine_parts read_sysfs_parts(const std::filesystem::path& root);

/// Returns nothing if weft was built without hwloc.
[[nodiscard]] std::optional<machine_parts> read_hwloc_parts();

}  // namespace weft::detail
