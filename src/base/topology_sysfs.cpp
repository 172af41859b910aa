// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the machine's parts from /sys/devices/system.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "weft/base/text_file.hpp"
#include "weft/base/topology.hpp"

#include "base/machine_parts.hpp"

namespace weft::detail {
namespace {

namespace fs = std::filesystem;

std::vector<int> online_ids(const fs::path& cpus) {
  for (const char* file : {"online", "present"}) {
    if (const auto text = base::read_text(cpus / file)) {
      if (std::vector<int> ids = base::parse_cpu_list(*text); !ids.empty()) {
        return ids;
      }
    }
  }
  return {};
}

/// Returns the numbers of the folder's entries called `prefix` + a number, ascending.
std::vector<int> numbered_entries(const fs::path& folder, std::string_view prefix) {
  std::vector<int> numbers;
  std::error_code ignored;  // a folder that does not exist has no entries
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix)) {
      if (const auto number = base::parse_integer(std::string_view(name).substr(prefix.size()))) {
        numbers.push_back(static_cast<int>(*number));
      }
    }
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::vector<int> keep_online(std::vector<int> ids, const std::vector<int>& online) {
  std::erase_if(ids, [&](int id) { return !std::binary_search(online.begin(), online.end(), id); });
  return ids;
}

placed_thread place(const fs::path& cpu, int id, const std::vector<int>& online) {
  placed_thread result{.id = id, .core_leader = id, .package = 0};
  for (const char* file : {"topology/core_cpus_list", "topology/thread_siblings_list"}) {
    if (const auto text = base::read_text(cpu / file)) {
      const std::vector<int> siblings = keep_online(base::parse_cpu_list(*text), online);
      result.core_leader = siblings.empty() ? id : siblings.front();
      break;
    }
  }
  const auto package = base::read_integer(cpu / "topology/physical_package_id").value_or(0);
  result.package = static_cast<int>(std::max<std::int64_t>(package, 0));  // -1: not known
  return result;
}

std::int64_t parse_size(std::string_view text) {
  const std::int64_t number = base::parse_integer(text).value_or(0);
  switch (text.empty() ? ' ' : text.back()) {
    case 'K':
      return number << 10;
    case 'M':
      return number << 20;
    case 'G':
      return number << 30;
    default:
      return number;
  }
}

std::optional<base::cache> read_cache(const fs::path& folder, const std::vector<int>& online) {
  const auto level = base::read_integer(folder / "level");
  const auto type = base::read_text(folder / "type");
  const auto shared = base::read_text(folder / "shared_cpu_list");
  if (!level || !type || !shared) {
    return std::nullopt;
  }
  return base::cache{.level = static_cast<int>(*level),
                     .kind = *type == "Data"          ? base::cache_kind::data
                             : *type == "Instruction" ? base::cache_kind::instruction
                                                      : base::cache_kind::unified,
                     .size_bytes = parse_size(base::read_text(folder / "size").value_or("")),
                     .line_bytes = static_cast<int>(
                         base::read_integer(folder / "coherency_line_size").value_or(0)),
                     .hardware_threads = keep_online(base::parse_cpu_list(*shared), online)};
}

std::vector<base::cache> read_caches(const fs::path& cpus, const std::vector<int>& online) {
  std::vector<base::cache> caches;
  for (const int id : online) {
    const fs::path folder = cpus / ("cpu" + std::to_string(id)) / "cache";
    for (const int index : numbered_entries(folder, "index")) {
      const auto found = read_cache(folder / ("index" + std::to_string(index)), online);
      // each CPU that shares the cache lists it: the first one stands for it
      if (found && !found->hardware_threads.empty() && found->hardware_threads.front() == id) {
        caches.push_back(*found);
      }
    }
  }
  return caches;
}

std::optional<std::int64_t> node_memory_bytes(const fs::path& node) {
  for (const std::string& line : base::read_lines(node / "meminfo")) {
    constexpr std::string_view key = "MemTotal:";
    if (const std::size_t at = line.find(key); at != line.npos) {
      const auto kibibytes = base::parse_integer(std::string_view(line).substr(at + key.size()));
      return kibibytes ? std::optional(*kibibytes * 1024) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::vector<base::numa_node> read_numa_nodes(const fs::path& nodes,
                                             const std::vector<int>& online) {
  std::vector<base::numa_node> result;
  for (const int id : numbered_entries(nodes, "node")) {
    const fs::path folder = nodes / ("node" + std::to_string(id));
    const auto list = base::read_text(folder / "cpulist");
    result.push_back(
        {.id = id,
         .memory_bytes = node_memory_bytes(folder),
         .hardware_threads = keep_online(base::parse_cpu_list(list.value_or("")), online)});
  }
  return result;
}

}  // namespace

machine_parts read_sysfs_parts(const fs::path& root) {
  const fs::path cpus = root / "sys/devices/system/cpu";
  const std::vector<int> online = online_ids(cpus);
  machine_parts parts;
  for (const int id : online) {
    parts.threads.push_back(place(cpus / ("cpu" + std::to_string(id)), id, online));
  }
  parts.caches = read_caches(cpus, online);
  parts.numa_nodes = read_numa_nodes(root / "sys/devices/system/node", online);
  return parts;
}

}  // namespace weft::detail
