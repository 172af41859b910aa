// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The limits that control groups (v1 and v2) put on this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace weft::detail {

struct cgroup_limits {
  std::optional<double> quota_cpus;
  std::optional<std::int64_t> memory_bytes;
};

/// Returns the tightest limits of this process's groups and all their ancestors that are visible.
///
/// Source: cgroups(7), proc(5) "mountinfo".
[[nodiscard]] cgroup_limits read_cgroup_limits(const std::filesystem::path& root);

}  // namespace weft::detail
