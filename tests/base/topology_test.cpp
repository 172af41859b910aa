// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about topologies read from planted sysfs trees, and about the running machine.
#include "weft/base/topology.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"

#include "tests/support/fake_root.hpp"

namespace topology_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using weft::base::cache;
using weft::base::cache_kind;
using weft::base::core;
using weft::base::read_topology;
using weft::base::topology;
using weft::base::topology_reader;
using weft::test::fake_root;

void add_cpu(fake_root& root, int id, const std::string& siblings, int package) {
  const std::filesystem::path cpu = "sys/devices/system/cpu/cpu" + std::to_string(id);
  root.write(cpu / "topology/core_cpus_list", siblings)
      .write(cpu / "topology/physical_package_id", std::to_string(package));
}

void add_cache(fake_root& root, int id, int index, const std::string& sharers) {
  const std::filesystem::path folder =
      "sys/devices/system/cpu/cpu" + std::to_string(id) + "/cache/index" + std::to_string(index);
  root.write(folder / "level", index == 0 ? "1" : "3")
      .write(folder / "type", index == 0 ? "Data" : "Unified")
      .write(folder / "size", index == 0 ? "48K" : "16M")
      .write(folder / "coherency_line_size", "64")
      .write(folder / "shared_cpu_list", sharers);
}

/// 2 packages = 2 NUMA nodes, 2 cores each, 2 hardware threads per core: siblings are i and i + 4.
void write_two_node_machine(fake_root& root) {
  root.write("sys/devices/system/cpu/online", "0-7");
  for (int id = 0; id < 8; ++id) {
    const int first = id % 4;
    const int package = first / 2;
    const std::string siblings = std::to_string(first) + "," + std::to_string(first + 4);
    const std::string in_package = package == 0 ? "0-1,4-5" : "2-3,6-7";
    add_cpu(root, id, siblings, package);
    add_cache(root, id, 0, siblings);
    add_cache(root, id, 3, in_package);
  }
  root.write("sys/devices/system/node/node0/cpulist", "0-1,4-5")
      .write("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       1024 kB")
      .write("sys/devices/system/node/node1/cpulist", "2-3,6-7")
      .write("sys/devices/system/node/node1/meminfo", "Node 1 MemTotal:       2048 kB")
      .write("proc/meminfo", "MemTotal:       3072 kB\nMemFree: 1 kB\nMemAvailable:   1000 kB")
      .write("proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7");
}

/// Memory can be plugged in between two readings.
std::vector<weft::base::numa_node> without_memory(std::vector<weft::base::numa_node> nodes) {
  for (weft::base::numa_node& node : nodes) {
    node.memory_bytes.reset();
  }
  return nodes;
}

TEST(Topology, two_numa_nodes_with_smt) {
  fake_root root;
  write_two_node_machine(root);

  const topology found = read_topology({.root = root.path()});

  EXPECT_EQ(found.reader, "sysfs");
  EXPECT_EQ(found.num_packages(), 2);
  EXPECT_TRUE(found.has_smt());
  EXPECT_THAT(found.cores,
              ElementsAre(core{{0, 4}, ""}, core{{1, 5}, ""}, core{{2, 6}, ""}, core{{3, 7}, ""}));
  ASSERT_EQ(found.hardware_threads.size(), 8u);
  EXPECT_EQ(found.hardware_threads[6],
            (weft::base::hardware_thread{.id = 6, .core = 2, .package = 1, .numa_node = 1}));
  EXPECT_THAT(found.numa_nodes,
              ElementsAre(weft::base::numa_node{0, 1024 * 1024, {0, 1, 4, 5}},
                          weft::base::numa_node{1, 2048 * 1024, {2, 3, 6, 7}}));
  EXPECT_EQ(found.memory_total_bytes, 3072 * 1024);
  EXPECT_EQ(found.memory_available_bytes, 1000 * 1024);
}

TEST(Topology, the_list_of_cpus_is_enough_to_count_them) {
  fake_root root;
  write_two_node_machine(root);
  root.write("proc/self/status", "Cpus_allowed_list:\t1-3");
  const topology whole = read_topology({.root = root.path()});

  const topology found = read_topology({.root = root.path(), .reader = topology_reader::cpu_list});

  EXPECT_EQ(found.reader, "cpu list");
  EXPECT_EQ(found.hardware_threads.size(), 8u);
  EXPECT_EQ(found.cores.size(), 8u) << "each counts as a core";
  EXPECT_THAT(found.caches, IsEmpty());
  EXPECT_EQ(found.affinity, whole.affinity);
  EXPECT_EQ(found.usable_cpus().cpus, 3);
  EXPECT_EQ(found.usable_cpus().source, whole.usable_cpus().source);
}

TEST(Topology, a_shared_cache_is_listed_once) {
  fake_root root;
  write_two_node_machine(root);

  const topology found = read_topology({.root = root.path()});

  ASSERT_EQ(found.caches.size(), 6u);
  EXPECT_EQ(found.caches[0], (cache{1, cache_kind::data, 48 << 10, 64, {0, 4}}));
  EXPECT_EQ(found.caches[4], (cache{3, cache_kind::unified, 16 << 20, 64, {0, 1, 4, 5}}));
  EXPECT_EQ(found.caches[5], (cache{3, cache_kind::unified, 16 << 20, 64, {2, 3, 6, 7}}));
}

TEST(Topology, offline_threads_are_neither_listed_nor_siblings) {
  fake_root root;
  write_two_node_machine(root);
  root.write("sys/devices/system/cpu/online", "0-3");

  const topology found = read_topology({.root = root.path()});

  EXPECT_EQ(found.hardware_threads.size(), 4u);
  EXPECT_FALSE(found.has_smt());
  EXPECT_THAT(found.numa_nodes[1].hardware_threads, ElementsAre(2, 3));
  EXPECT_THAT(found.caches[4].hardware_threads, ElementsAre(0, 1));
  EXPECT_EQ(found.usable_cpus().cpus, 4);
}

TEST(Topology, hybrid_cores_know_their_kind) {
  fake_root root;
  root.write("sys/devices/system/cpu/online", "0-2")
      .write("sys/devices/cpu_core/cpus", "0-1")
      .write("sys/devices/cpu_atom/cpus", "2");
  add_cpu(root, 0, "0-1", 0);
  add_cpu(root, 1, "0-1", 0);
  add_cpu(root, 2, "2", 0);

  EXPECT_THAT(read_topology({.root = root.path()}).cores,
              ElementsAre(core{{0, 1}, "performance"}, core{{2}, "efficiency"}));
}

TEST(Topology, older_kernels_name_siblings_differently) {
  fake_root root;
  root.write("sys/devices/system/cpu/online", "0-1");
  for (const char* cpu : {"cpu0", "cpu1"}) {
    root.write(
        std::filesystem::path("sys/devices/system/cpu") / cpu / "topology/thread_siblings_list",
        "0-1");
  }

  EXPECT_THAT(read_topology({.root = root.path()}).cores, ElementsAre(core{{0, 1}, ""}));
}

TEST(Topology, memory_without_cpus_is_a_node_without_threads) {
  fake_root root;
  write_two_node_machine(root);
  root.write("sys/devices/system/node/node2/cpulist", "");

  const topology found = read_topology({.root = root.path()});

  ASSERT_EQ(found.numa_nodes.size(), 3u);
  EXPECT_THAT(found.numa_nodes[2].hardware_threads, IsEmpty());
  EXPECT_EQ(found.numa_nodes[2].memory_bytes, std::nullopt);
}

TEST(Topology, an_empty_tree_is_one_thread_with_nothing_known_about_it) {
  const fake_root root;

  const topology found = read_topology({.root = root.path()});

  EXPECT_THAT(found.cores, ElementsAre(core{{0}, ""}));
  EXPECT_THAT(found.caches, IsEmpty());
  EXPECT_EQ(found.num_packages(), 1);
  EXPECT_EQ(found.numa_nodes.size(), 1u);
  EXPECT_EQ(found.memory_total_bytes, std::nullopt);
  EXPECT_EQ(found.usable_cpus().cpus, 1);
}

TEST(Topology, without_sysfs_the_affinity_mask_tells_the_threads) {
  fake_root root;
  root.write("proc/self/status", "Cpus_allowed_list:\t2,5");

  EXPECT_THAT(read_topology({.root = root.path()}).cores,
              ElementsAre(core{{2}, ""}, core{{5}, ""}));
}

TEST(Topology, an_unknown_package_counts_as_the_first) {
  fake_root root;
  root.write("sys/devices/system/cpu/online", "0");
  add_cpu(root, 0, "0", -1);

  EXPECT_EQ(read_topology({.root = root.path()}).hardware_threads[0].package, 0);
}

TEST(Topology, hwloc_refuses_a_planted_tree_and_says_what_to_use) {
  const fake_root root;
  try {
    (void)read_topology({.root = root.path(), .reader = topology_reader::hwloc});
    FAIL() << "expected weft::error";
  } catch (const weft::error& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("topology_reader::sysfs"));
  }
}

TEST(Topology, hwloc_and_sysfs_agree_on_this_machine) {
  topology by_hwloc;
  try {
    by_hwloc = read_topology({.reader = topology_reader::hwloc});
  } catch (const weft::error& missing) {
    GTEST_SKIP() << missing.what();
  }

  const topology by_sysfs = read_topology({.reader = topology_reader::sysfs});

  EXPECT_EQ(by_hwloc.reader, "hwloc");
  EXPECT_EQ(by_hwloc.hardware_threads, by_sysfs.hardware_threads);
  EXPECT_EQ(by_hwloc.cores, by_sysfs.cores);
  EXPECT_EQ(by_hwloc.caches, by_sysfs.caches);
  EXPECT_EQ(without_memory(by_hwloc.numa_nodes), without_memory(by_sysfs.numa_nodes));
}

}  // namespace topology_test
