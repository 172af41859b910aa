// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about how much of the machine a process may use, for planted masks and control groups.
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "weft/base/topology.hpp"

#include "tests/support/fake_root.hpp"

namespace usable_cpus_test {

using weft::base::read_topology;
using weft::base::topology;
using weft::test::fake_root;

/// Eight CPUs, of which the process may run on `allowed`.
void write_machine(fake_root& root, const std::string& allowed = "0-7") {
  root.write("sys/devices/system/cpu/online", "0-7")
      .write("proc/self/status", "Cpus_allowed_list:\t" + allowed);
}

void write_v2(fake_root& root, const std::string& group) {
  root.write("proc/self/cgroup", "0::" + group)
      .write("proc/self/mountinfo",
             "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate");
}

void write_v1(fake_root& root, const std::string& group, const std::string& mount_root) {
  root.write("proc/self/cgroup", "4:memory:" + group + "\n3:cpuset:/\n2:cpu,cpuacct:" + group)
      .write("proc/self/mountinfo",
             "32 31 0:29 " + mount_root +
                 " /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                 "35 31 0:32 " +
                 mount_root + " /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory");
}

TEST(UsableCpus, all_of_them_where_nothing_limits) {
  fake_root root;
  write_machine(root);

  const weft::base::cpu_share share = read_topology({.root = root.path()}).usable_cpus();

  EXPECT_EQ(share.cpus, 8);
  EXPECT_EQ(share.source, "all CPUs");
}

TEST(UsableCpus, the_affinity_mask_counts_online_cpus_only) {
  fake_root root;
  write_machine(root, "6-15");

  const weft::base::cpu_share share = read_topology({.root = root.path()}).usable_cpus();

  EXPECT_EQ(share.cpus, 2);
  EXPECT_EQ(share.source, "affinity mask");
}

TEST(UsableCpus, a_v2_quota_is_rounded_up) {
  fake_root root;
  write_machine(root);
  write_v2(root, "/job");
  root.write("sys/fs/cgroup/job/cpu.max", "150000 100000");

  const topology found = read_topology({.root = root.path()});

  EXPECT_EQ(found.quota_cpus, 1.5);
  EXPECT_EQ(found.usable_cpus().cpus, 2);
  EXPECT_EQ(found.usable_cpus().source, "cgroup quota 1.5 CPUs");
}

TEST(UsableCpus, a_quota_below_one_cpu_still_leaves_one) {
  fake_root root;
  write_machine(root);
  write_v2(root, "/");
  root.write("sys/fs/cgroup/cpu.max", "25000 100000");

  EXPECT_EQ(read_topology({.root = root.path()}).usable_cpus().cpus, 1);
}

TEST(UsableCpus, the_mask_wins_where_it_is_tighter_than_the_quota) {
  fake_root root;
  write_machine(root, "3");
  write_v2(root, "/job");
  root.write("sys/fs/cgroup/job/cpu.max", "400000 100000");

  EXPECT_EQ(read_topology({.root = root.path()}).usable_cpus().source, "affinity mask");
}

TEST(CgroupLimits, the_tightest_v2_group_along_the_path_counts) {
  fake_root root;
  write_machine(root);
  write_v2(root, "/outer/middle/inner");
  root.write("sys/fs/cgroup/outer/cpu.max", "600000 100000")
      .write("sys/fs/cgroup/outer/middle/cpu.max", "300000 100000")
      .write("sys/fs/cgroup/outer/middle/inner/cpu.max", "max 100000")
      .write("sys/fs/cgroup/outer/memory.max", "1000000")
      .write("sys/fs/cgroup/outer/middle/inner/memory.max", "2000000");

  const topology found = read_topology({.root = root.path()});

  EXPECT_EQ(found.quota_cpus, 3.0);
  EXPECT_EQ(found.memory_limit_bytes, 1000000);
}

TEST(CgroupLimits, v2_max_means_unlimited) {
  fake_root root;
  write_machine(root);
  write_v2(root, "/job");
  root.write("sys/fs/cgroup/job/cpu.max", "max 100000")
      .write("sys/fs/cgroup/job/memory.max", "max");

  const topology found = read_topology({.root = root.path()});

  EXPECT_EQ(found.quota_cpus, std::nullopt);
  EXPECT_EQ(found.memory_limit_bytes, std::nullopt);
}

TEST(CgroupLimits, the_tightest_v1_group_along_the_path_counts) {
  fake_root root;
  write_machine(root);
  write_v1(root, "/a/b", "/");
  root.write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "250000")
      .write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000")
      .write("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1")
      .write("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000")
      .write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712")
      .write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "4096000");

  const topology found = read_topology({.root = root.path()});

  EXPECT_EQ(found.quota_cpus, 2.5);
  EXPECT_EQ(found.memory_limit_bytes, 4096000);
}

TEST(CgroupLimits, a_container_sees_its_own_group_as_the_top) {
  fake_root root;
  write_machine(root);
  write_v1(root, "/docker/abc", "/docker/abc");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000")
      .write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");

  EXPECT_EQ(read_topology({.root = root.path()}).quota_cpus, 0.5);
}

TEST(CgroupLimits, a_mount_of_another_part_of_the_tree_counts_with_its_top) {
  fake_root root;
  write_machine(root);
  write_v1(root, "/docker/abc", "/elsewhere");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "100000")
      .write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");

  EXPECT_EQ(read_topology({.root = root.path()}).quota_cpus, 1.0);
}

TEST(CgroupLimits, malformed_files_limit_nothing) {
  fake_root root;
  write_machine(root);
  write_v2(root, "/job");
  root.write("sys/fs/cgroup/job/cpu.max", "garbage")
      .write("sys/fs/cgroup/job/memory.max", "")
      .write("sys/fs/cgroup/cpu.max", "100000")
      .write("proc/self/cgroup", "no colon\n0::/job");

  const topology found = read_topology({.root = root.path()});

  EXPECT_EQ(found.quota_cpus, std::nullopt);
  EXPECT_EQ(found.memory_limit_bytes, std::nullopt);
  EXPECT_EQ(found.usable_cpus().cpus, 8);
}

}  // namespace usable_cpus_test
