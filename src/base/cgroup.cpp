// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The limits that control groups (v1 and v2) put on this process.
#include "base/cgroup.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/text_file.hpp"

namespace weft::detail {
namespace {

namespace fs = std::filesystem;

/// v1 writes "no limit" as the largest multiple of the page size below 2^63.
constexpr std::int64_t unlimited_bytes = std::int64_t{1} << 60;

/// One mounted hierarchy; `controllers` is empty for v2.
struct hierarchy {
  fs::path mount_root;   // the group that is visible at the mount point
  fs::path mount_point;  // below the root folder
  std::vector<std::string> controllers;
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

bool contains(const std::vector<std::string>& list, std::string_view what) {
  return std::ranges::find(list, what) != list.end();
}

std::vector<hierarchy> mounted_hierarchies(const fs::path& root) {
  std::vector<hierarchy> result;
  for (const std::string& line : base::read_lines(root / "proc/self/mountinfo")) {
    const std::vector<std::string> fields = split(line, ' ');
    const auto dash = std::ranges::find(fields, "-");  // optional fields end here
    if (fields.size() < 6 || std::distance(dash, fields.end()) < 4) {
      continue;
    }
    const std::string& type = *std::next(dash);
    if (type != "cgroup" && type != "cgroup2") {
      continue;
    }
    hierarchy found{fields[3], root / fs::path(fields[4]).relative_path(), {}};
    if (type == "cgroup") {
      found.controllers = split(*std::next(dash, 3), ',');
    }
    result.push_back(std::move(found));
  }
  return result;
}

/// Returns the process's group in the hierarchy of `controller`, as /proc/self/cgroup names it.
std::optional<fs::path> group_name(const std::vector<std::string>& lines,
                                   std::string_view controller) {
  for (const std::string& line : lines) {  // "4:cpu,cpuacct:/a/b"; v2: "0::/a/b"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == line.npos) {
      continue;
    }
    const std::string_view names = std::string_view(line).substr(first + 1, second - first - 1);
    const bool is_match =
        controller.empty() ? names.empty() : contains(split(names, ','), controller);
    if (is_match) {
      return fs::path(line.substr(second + 1));
    }
  }
  return std::nullopt;
}

/// Returns the folders of the group and its ancestors, down to the mount point.
std::vector<fs::path> folders_up(const hierarchy& where, const fs::path& group) {
  fs::path inside = group.lexically_relative(where.mount_root);
  if (inside.empty() || *inside.begin() == "..") {
    inside = ".";  // the mount shows another part of the tree, of which only the top is visible
  }
  std::vector<fs::path> result{where.mount_point};
  for (const fs::path& part : inside) {
    if (part != ".") {
      result.push_back(result.back() / part);
    }
  }
  return result;
}

std::optional<double> quota_v2(const fs::path& folder) {
  const auto text = base::read_text(folder / "cpu.max");  // "150000 100000" or "max 100000"
  if (!text) {
    return std::nullopt;
  }
  const auto quota = base::parse_integer(*text);
  const auto period =
      base::parse_integer(std::string_view(*text).substr(std::min(text->find(' '), text->size())));
  if (!quota || !period || *quota <= 0 || *period <= 0) {
    return std::nullopt;
  }
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> quota_v1(const fs::path& folder) {
  const auto quota = base::read_integer(folder / "cpu.cfs_quota_us");  // -1: unlimited
  const auto period = base::read_integer(folder / "cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) {
    return std::nullopt;
  }
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<std::int64_t> memory_limit(const fs::path& file) {
  const auto bytes = base::read_integer(file);  // "max" holds no integer
  return bytes && *bytes < unlimited_bytes ? bytes : std::nullopt;
}

template <class Value>
void tighten(std::optional<Value>& limit, const std::optional<Value>& other) {
  if (other && (!limit || *other < *limit)) {
    limit = other;
  }
}

void apply_v2(const hierarchy& where, const fs::path& group, cgroup_limits& limits) {
  for (const fs::path& folder : folders_up(where, group)) {
    tighten(limits.quota_cpus, quota_v2(folder));
    tighten(limits.memory_bytes, memory_limit(folder / "memory.max"));
  }
}

void apply_v1(const hierarchy& where,
              const std::vector<std::string>& groups,
              cgroup_limits& limits) {
  if (const auto group = group_name(groups, "cpu"); group && contains(where.controllers, "cpu")) {
    for (const fs::path& folder : folders_up(where, *group)) {
      tighten(limits.quota_cpus, quota_v1(folder));
    }
  }
  if (const auto group = group_name(groups, "memory");
      group && contains(where.controllers, "memory")) {
    for (const fs::path& folder : folders_up(where, *group)) {
      tighten(limits.memory_bytes, memory_limit(folder / "memory.limit_in_bytes"));
    }
  }
}

/// Returns the CPUs of the innermost group that lists any.
std::optional<std::vector<int>> innermost_cpus(const std::vector<fs::path>& folders,
                                               const char* file) {
  std::optional<std::vector<int>> result;
  for (const fs::path& folder : folders) {
    const std::vector<int> cpus = base::parse_cpu_list(base::read_text(folder / file).value_or(""));
    if (!cpus.empty()) {
      result = cpus;
    }
  }
  return result;
}

}  // namespace

cgroup_limits read_cgroup_limits(const fs::path& root) {
  const std::vector<std::string> groups = base::read_lines(root / "proc/self/cgroup");
  cgroup_limits limits;
  for (const hierarchy& where : mounted_hierarchies(root)) {
    if (!where.controllers.empty()) {
      apply_v1(where, groups, limits);
    } else if (const auto group = group_name(groups, "")) {
      apply_v2(where, *group, limits);
    }
  }
  return limits;
}

std::optional<std::vector<int>> read_cgroup_cpus(const fs::path& root) {
  const std::vector<std::string> groups = base::read_lines(root / "proc/self/cgroup");
  std::optional<std::vector<int>> cpus;
  for (const hierarchy& where : mounted_hierarchies(root)) {
    const bool is_v2 = where.controllers.empty();
    const auto group = group_name(groups, is_v2 ? "" : "cpuset");
    if (!cpus && group && (is_v2 || contains(where.controllers, "cpuset"))) {
      cpus = innermost_cpus(folders_up(where, *group),
                            is_v2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus");
    }
  }
  return cpus;
}

}  // namespace weft::detail
