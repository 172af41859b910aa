// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The limits that control groups (v1 and v2) put on this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace weft::detail {

struct cgroup_limits {
  std::optional<double> quota_cpus;
  std::optional<std::int64_t> memory_bytes;
};

/// Returns the tightest limits of this process's groups and all their visible ancestors.
///
/// Source: cgroups(7), proc(5) "mountinfo".
[[nodiscard]] cgroup_limits read_cgroup_limits(const std::filesystem::path& root);

/// Returns the CPUs that this process's group may use, ascending; nothing if no group lists CPUs.
///
/// Source: cpuset(7), Documentation/admin-guide/cgroup-v2 "cpuset.cpus.effective".
[[nodiscard]] std::optional<std::vector<int>> read_cgroup_cpus(const std::filesystem::path& root);

}  // namespace weft::detail
