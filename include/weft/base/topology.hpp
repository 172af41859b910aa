// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the machine, and how much of it this process may use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::base {

/// The unit that the operating system schedules threads on; `id` is the kernel's CPU number.
struct hardware_thread {
  int id = 0;
  int core = 0;       // index into `topology::cores`
  int package = 0;    // the kernel's package (socket) number
  int numa_node = 0;  // the kernel's node number
  friend bool operator==(const hardware_thread&, const hardware_thread&) = default;
};

/// A core, and the hardware threads on it.
struct core {
  std::vector<int> hardware_threads;  // ids, ascending
  std::string kind;                   // "performance" or "efficiency"; empty if all are alike
  friend bool operator==(const core&, const core&) = default;
};

/// The kind of a cache: data, instructions, or both.
enum class cache_kind : std::uint8_t { data, instruction, unified };

/// A cache, and the hardware threads that share it.
struct cache {
  int level = 0;
  cache_kind kind = cache_kind::unified;
  std::int64_t size_bytes = 0;
  int line_bytes = 0;
  std::vector<int> hardware_threads;  // ids that share it, ascending
  friend bool operator==(const cache&, const cache&) = default;
};

/// Memory and the hardware threads next to it.
struct numa_node {
  int id = 0;
  std::optional<std::int64_t> memory_bytes;
  std::vector<int> hardware_threads;  // ids, ascending; empty for memory without CPUs
  friend bool operator==(const numa_node&, const numa_node&) = default;
};

/// A number of CPUs, and what limits it to that.
struct cpu_share {
  int cpus = 1;
  std::string source;  // "all CPUs", "affinity mask" or "cgroup quota 1.5 CPUs"
};

/// A snapshot; lists hold what is online, ordered by the smallest hardware thread id.
struct topology {
  std::vector<hardware_thread> hardware_threads;
  std::vector<core> cores;
  std::vector<cache> caches;  // by level, then data, instruction, unified
  std::vector<numa_node> numa_nodes;
  std::vector<int> affinity;                       // ids this process's main thread may run on
  std::optional<double> quota_cpus;                // tightest cgroup CPU quota; none: unlimited
  std::optional<std::int64_t> memory_limit_bytes;  // tightest cgroup limit; none: unlimited
  std::optional<std::int64_t> memory_total_bytes;
  std::optional<std::int64_t> memory_available_bytes;
  std::string reader;  // "hwloc", "sysfs" or "cpu list"

  [[nodiscard]] int num_packages() const;
  /// True if any core has more than one online hardware thread.
  [[nodiscard]] bool has_smt() const;
  /// Returns min(affinity mask, CPU quota rounded up), at least 1, and which of them decided.
  [[nodiscard]] cpu_share usable_cpus() const;
};

/// The source of the topology: hwloc, the kernel's files in /sys, or the better one that is there.
/// `cpu_list` reads only which CPUs are online, and takes each for a core: enough to count them.
enum class topology_reader : std::uint8_t { automatic, sysfs, hwloc, cpu_list };

/// Where the topology is read from, and by what.
struct topology_options {
  /// Folder that holds proc/ and sys/; any other than "/" is read by the sysfs reader.
  std::filesystem::path root = "/";
  topology_reader reader = topology_reader::automatic;  // hwloc where it was built in
};

/// Reads the machine and this process's limits.
///
/// A file that is missing leaves its fact at the most cautious guess: no siblings, one package, one
/// NUMA node, no caches, no limit.
/// Cost:    about a millisecond per 10 CPUs, and milliseconds for hwloc's plugins; keep the result.
///          With `cpu_list` about 0.1 ms.
/// Threads: call from any thread.
/// Errors:  `weft::error` if hwloc is asked for and cannot be used.
/// Source:  Documentation/ABI/stable/sysfs-devices-system-cpu, Documentation/admin-guide/cgroup-v2.
/// Example: tests/base/topology_test.cpp: two_numa_nodes_with_smt.
[[nodiscard]] topology read_topology(const topology_options& options = {});

}  // namespace weft::base
