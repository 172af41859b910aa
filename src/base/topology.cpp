// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders the machine's parts and adds this process's limits.
#include "weft/base/topology.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <sys/auxv.h>

#include "weft/base/error.hpp"
#include "weft/base/text_file.hpp"

#include "base/cgroup.hpp"
#include "base/machine_parts.hpp"

namespace weft::base {
namespace {

namespace fs = std::filesystem;
using detail::machine_parts;
using detail::placed_thread;

std::optional<std::int64_t> meminfo_bytes(std::span<const std::string> lines,
                                          std::string_view key) {
  const auto text = keyed_value(lines, key);
  const auto kibibytes = text ? parse_integer(*text) : std::nullopt;
  return kibibytes ? std::optional(*kibibytes * 1024) : std::nullopt;
}

bool contains(const std::vector<int>& ascending, int id) {
  return std::binary_search(ascending.begin(), ascending.end(), id);
}

/// The CPUs of each kind of core, if there are several kinds.
struct core_kinds {
  explicit core_kinds(const fs::path& root)
      : performance(parse_cpu_list(read_text(root / "sys/devices/cpu_core/cpus").value_or(""))),
        efficiency(parse_cpu_list(read_text(root / "sys/devices/cpu_atom/cpus").value_or(""))) {}

  [[nodiscard]] std::string of(int id) const {
    return contains(performance, id) ? "performance" : contains(efficiency, id) ? "efficiency" : "";
  }

  std::vector<int> performance;  // ids, ascending
  std::vector<int> efficiency;
};

void complete(machine_parts& parts, topology& result) {
  if (parts.threads.empty()) {  // nothing is readable: use the CPUs that this process may run on
    for (const int id : result.affinity.empty() ? std::vector{0} : result.affinity) {
      parts.threads.push_back({.id = id, .core_leader = id, .package = 0});
    }
  }
  std::ranges::sort(parts.threads, {}, &placed_thread::id);
  if (parts.numa_nodes.empty()) {
    numa_node all{.id = 0, .memory_bytes = result.memory_total_bytes, .hardware_threads = {}};
    for (const placed_thread& thread : parts.threads) {
      all.hardware_threads.push_back(thread.id);
    }
    parts.numa_nodes.push_back(std::move(all));
  }
  std::erase_if(parts.caches, [](const cache& each) { return each.hardware_threads.empty(); });
}

/// Leaves each thread with the lowest node that claims it. Memory without CPUs of its own (HBM,
/// CXL) is listed differently: hwloc lists it as local to its neighbours' CPUs, the kernel without
/// CPUs.
void settle_nodes(std::vector<numa_node>& nodes) {
  std::ranges::sort(nodes, {}, &numa_node::id);
  std::set<int> claimed;
  for (numa_node& node : nodes) {
    std::erase_if(node.hardware_threads, [&](int id) { return !claimed.insert(id).second; });
  }
}

int node_of(const std::vector<numa_node>& nodes, int id) {
  const auto node = std::ranges::find_if(
      nodes, [id](const numa_node& candidate) { return contains(candidate.hardware_threads, id); });
  return node == nodes.end() ? 0 : node->id;
}

void fill_cores(const machine_parts& parts, const fs::path& root, topology& result) {
  const core_kinds kinds(root);
  std::map<int, int> core_of_leader;
  for (const placed_thread& thread : parts.threads) {
    const auto [entry, is_new] =
        core_of_leader.try_emplace(thread.core_leader, static_cast<int>(result.cores.size()));
    if (is_new) {
      result.cores.push_back({.hardware_threads = {}, .kind = kinds.of(thread.id)});
    }
    result.cores[static_cast<std::size_t>(entry->second)].hardware_threads.push_back(thread.id);
    result.hardware_threads.push_back({.id = thread.id,
                                       .core = entry->second,
                                       .package = thread.package,
                                       .numa_node = node_of(parts.numa_nodes, thread.id)});
  }
}

machine_parts read_cpu_list(const fs::path& root) {
  machine_parts parts;
  for (const int id :
       parse_cpu_list(read_text(root / "sys/devices/system/cpu/online").value_or(""))) {
    parts.threads.push_back({.id = id, .core_leader = id, .package = 0});
  }
  return parts;
}

machine_parts read_parts(const topology_options& options, std::string& reader) {
  if (options.reader == topology_reader::cpu_list) {
    reader = "cpu list";
    return read_cpu_list(options.root);
  }
  const bool is_this_machine = options.root == "/";
  if (options.reader == topology_reader::hwloc && !is_this_machine) {
    throw error("topology: hwloc reads only the running machine, not the folder '" +
                options.root.string() + "'; use topology_reader::sysfs");
  }
  // hwloc reads its own variables, by which a user could make a setuid program load plugins.
  const bool may_use_hwloc = options.reader == topology_reader::hwloc || getauxval(AT_SECURE) == 0;
  if (options.reader != topology_reader::sysfs && is_this_machine && may_use_hwloc) {
    if (auto parts = detail::read_hwloc_parts()) {
      reader = "hwloc";
      return *std::move(parts);
    }
    if (options.reader == topology_reader::hwloc) {
      throw error(
          "topology: weft was built without hwloc, or hwloc failed; install libhwloc-dev and "
          "configure again, or use topology_reader::sysfs");
    }
  }
  reader = "sysfs";
  return detail::read_sysfs_parts(options.root);
}

std::string quota_text(double quota_cpus) {
  std::ostringstream text;
  text << "cgroup quota " << quota_cpus << " CPUs";
  return text.str();
}

}  // namespace

int topology::num_packages() const {
  std::set<int> packages;
  for (const hardware_thread& thread : hardware_threads) {
    packages.insert(thread.package);
  }
  return static_cast<int>(packages.size());
}

bool topology::has_smt() const {
  return std::ranges::any_of(cores,
                             [](const core& each) { return each.hardware_threads.size() > 1; });
}

cpu_share topology::usable_cpus() const {
  const auto online = static_cast<int>(hardware_threads.size());
  const auto allowed = static_cast<int>(
      std::ranges::count_if(hardware_threads, [this](const hardware_thread& thread) {
        return affinity.empty() || contains(affinity, thread.id);
      }));
  const int by_mask = std::max(allowed, 1);
  if (quota_cpus && std::ceil(*quota_cpus) < by_mask) {
    return {.cpus = std::max(static_cast<int>(std::ceil(*quota_cpus)), 1),
            .source = quota_text(*quota_cpus)};
  }
  return {.cpus = by_mask, .source = by_mask < online ? "affinity mask" : "all CPUs"};
}

topology read_topology(const topology_options& options) {
  const std::vector<std::string> status = read_lines(options.root / "proc/self/status");
  const std::vector<std::string> meminfo = read_lines(options.root / "proc/meminfo");
  topology result;
  result.affinity = parse_cpu_list(keyed_value(status, "Cpus_allowed_list").value_or(""));
  result.memory_total_bytes = meminfo_bytes(meminfo, "MemTotal");
  result.memory_available_bytes = meminfo_bytes(meminfo, "MemAvailable");
  const detail::cgroup_limits limits = detail::read_cgroup_limits(options.root);
  result.quota_cpus = limits.quota_cpus;
  result.memory_limit_bytes = limits.memory_bytes;

  machine_parts parts = read_parts(options, result.reader);
  complete(parts, result);
  settle_nodes(parts.numa_nodes);
  fill_cores(parts, options.root, result);
  result.caches = std::move(parts.caches);
  std::ranges::sort(result.caches, {}, [](const cache& each) {
    return std::tuple(each.level, each.kind, each.hardware_threads.front());
  });
  result.numa_nodes = std::move(parts.numa_nodes);
  return result;
}

}  // namespace weft::base
