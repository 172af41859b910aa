// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes sysfs trees of machines that tests run on in their minds.
#pragma once

#include <compare>
#include <filesystem>
#include <map>
#include <string>

#include "weft/base/topology.hpp"

#include "tests/support/fake_root.hpp"

namespace weft::test {

/// A machine whose hardware threads are numbered as Linux does: first one of every core, then the
/// siblings. Cores of one NUMA node (= package) are neighbours and share a level 3 cache.
struct machine_shape {
  int num_nodes = 1;
  int cores_per_node = 2;
  int threads_per_core = 1;
  friend auto operator<=>(const machine_shape&, const machine_shape&) = default;
};

namespace detail {

inline std::string ids_text(int first_core, int last_core, const machine_shape& shape) {
  const int num_cores = shape.num_nodes * shape.cores_per_node;
  std::string text;
  for (int sibling = 0; sibling < shape.threads_per_core; ++sibling) {
    for (int core = first_core; core < last_core; ++core) {
      text += (text.empty() ? "" : ",") + std::to_string(sibling * num_cores + core);
    }
  }
  return text;
}

inline void write_cache(fake_root& root,
                        const std::filesystem::path& folder,
                        int level,
                        const std::string& sharers) {
  root.write(folder / "level", std::to_string(level))
      .write(folder / "type", "Unified")
      .write(folder / "size", level == 2 ? "1024K" : "16M")
      .write(folder / "coherency_line_size", "64")
      .write(folder / "shared_cpu_list", sharers);
}

}  // namespace detail

inline void write_machine(fake_root& root, const machine_shape& shape) {
  const int num_cores = shape.num_nodes * shape.cores_per_node;
  const std::filesystem::path system = "sys/devices/system";
  root.write(system / "cpu/online", detail::ids_text(0, num_cores, shape));
  for (int core = 0; core < num_cores; ++core) {
    const int node = core / shape.cores_per_node;
    const std::string siblings = detail::ids_text(core, core + 1, shape);
    const std::string neighbours =
        detail::ids_text(node * shape.cores_per_node, (node + 1) * shape.cores_per_node, shape);
    for (int sibling = 0; sibling < shape.threads_per_core; ++sibling) {
      const std::filesystem::path cpu =
          system / "cpu" / ("cpu" + std::to_string(sibling * num_cores + core));
      root.write(cpu / "topology/core_cpus_list", siblings)
          .write(cpu / "topology/physical_package_id", std::to_string(node));
      detail::write_cache(root, cpu / "cache/index0", 2, siblings);
      detail::write_cache(root, cpu / "cache/index1", 3, neighbours);
    }
    root.write(system / "node" / ("node" + std::to_string(node)) / "cpulist", neighbours);
  }
  root.write("proc/self/status", "Cpus_allowed_list:\t" + detail::ids_text(0, num_cores, shape));
}

/// Confines the process to the CPUs of a list such as "0-3".
inline void confine(fake_root& root, const std::string& cpus) {
  root.write("proc/self/status", "Cpus_allowed_list:\t" + cpus);
}

/// Puts the process into the version 2 control group /job.
inline void enter_group(fake_root& root) {
  root.write("proc/self/cgroup", "0::/job")
      .write("proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw");
}

inline base::topology machine_of(const fake_root& root) {
  return base::read_topology({.root = root.path()});
}

/// Written and read once per shape and process: the trees are many small files.
inline base::topology machine_of(const machine_shape& shape) {
  static std::map<machine_shape, base::topology> read;
  const auto [entry, is_new] = read.try_emplace(shape);
  if (is_new) {
    fake_root root;
    write_machine(root, shape);
    entry->second = machine_of(root);
  }
  return entry->second;
}

}  // namespace weft::test
