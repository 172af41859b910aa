// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads /proc and the cgroup tree.
#include "lab/harness/memory.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace weft::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t bytes_per_kib = 1024;

/// Returns the number after `key` in a file of lines such as `VmHWM:   123 kB`. Units: bytes.
std::optional<std::size_t> value_of_key(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key)) {
      std::istringstream rest(line.substr(key.size()));
      std::size_t kib = 0;
      return rest >> kib ? std::optional(kib * bytes_per_kib) : std::nullopt;
    }
  }
  return std::nullopt;
}

/// Empty for a missing file and for "max".
std::optional<std::size_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::size_t value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

struct memory_controller {
  fs::path mount;
  std::string_view limit_file;
  std::string_view usage_file;
  std::string_view idle_cache_key;  // in memory.stat
};

/// Pages of files that were not read recently: they count as usage, but the kernel frees them when
/// memory is needed.
std::size_t idle_cache_bytes(const fs::path& folder, std::string_view key) {
  std::ifstream in(folder / "memory.stat");
  std::string name;
  for (std::size_t bytes = 0; in >> name >> bytes;) {
    if (name == key) {
      return bytes;
    }
  }
  return 0;
}

/// Visits the groups from the process's own to the root: every ancestor's limit applies.
std::optional<std::size_t> left_in_groups(const memory_controller& controller,
                                          const fs::path& group) {
  std::optional<std::size_t> least;
  for (fs::path level = group.relative_path();; level = level.parent_path()) {
    const fs::path folder = controller.mount / level;
    const auto limit = number_in(folder / controller.limit_file);
    const auto used = number_in(folder / controller.usage_file);
    if (limit && used) {
      const std::size_t cache = idle_cache_bytes(folder, controller.idle_cache_key);
      const std::size_t needed = *used - std::min(cache, *used);
      const std::size_t left = *limit > needed ? *limit - needed : 0;
      least = std::min(least.value_or(left), left);
    }
    if (level.empty()) {
      return least;
    }
  }
}

/// Returns whether a list such as "cpu,memory" contains the memory controller.
bool names_memory(const std::string& controllers) {
  std::istringstream list(controllers);
  for (std::string name; std::getline(list, name, ',');) {
    if (name == "memory") {
      return true;
    }
  }
  return false;
}

std::optional<std::size_t> cgroup_left_bytes(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  const memory_controller v1{.mount = mount / "memory",
                             .limit_file = "memory.limit_in_bytes",
                             .usage_file = "memory.usage_in_bytes",
                             .idle_cache_key = "total_inactive_file"};
  const memory_controller v2{.mount = mount,
                             .limit_file = "memory.max",
                             .usage_file = "memory.current",
                             .idle_cache_key = "inactive_file"};
  std::optional<std::size_t> least;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:memory:/path" or "0::/path"
    const auto controllers_at = line.find(':');
    const auto path_at = line.find(':', controllers_at + 1);
    if (controllers_at == std::string::npos || path_at == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(controllers_at + 1, path_at - controllers_at - 1);
    if (controllers.empty() || names_memory(controllers)) {
      const memory_controller& controller = controllers.empty() ? v2 : v1;
      if (const auto left = left_in_groups(controller, line.substr(path_at + 1))) {
        least = std::min(least.value_or(*left), *left);
      }
    }
  }
  return least;
}

}  // namespace

std::optional<std::size_t> available_memory_bytes(const fs::path& root) {
  const auto machine = value_of_key(root / "proc/meminfo", "MemAvailable:");
  if (!machine) {
    return std::nullopt;
  }
  return std::min(*machine, cgroup_left_bytes(root).value_or(*machine));
}

std::optional<std::size_t> resident_bytes() { return value_of_key("/proc/self/status", "VmRSS:"); }

std::optional<std::size_t> peak_resident_bytes() {
  return value_of_key("/proc/self/status", "VmHWM:");
}

void give_back_freed_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

bool reset_peak_resident() {
  std::ofstream out("/proc/self/clear_refs");
  out << "5" << std::flush;
  return out.good();
}

}  // namespace weft::lab
