// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which hardware threads a placement means, on machines that are only described, and on this one.
#include "lab/harness/placement.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "weft/base/topology.hpp"

namespace weft::lab {
namespace placement_test {

/// Four cores with two hardware threads each: core i has threads i and i + 4.
base::topology four_cores_with_smt() {
  base::topology machine;
  for (int i = 0; i < 4; ++i) {
    machine.cores.push_back({.hardware_threads = {i, i + 4}, .kind = {}});
  }
  for (int id = 0; id < 8; ++id) {
    machine.hardware_threads.push_back({.id = id, .core = id % 4});
    machine.affinity.push_back(id);
  }
  return machine;
}

base::topology two_plain_cores() {
  base::topology machine;
  for (int i = 0; i < 2; ++i) {
    machine.cores.push_back({.hardware_threads = {i}, .kind = {}});
    machine.hardware_threads.push_back({.id = i, .core = i});
    machine.affinity.push_back(i);
  }
  return machine;
}

using ids = std::vector<int>;

TEST(Placement, none_with_smt_restricts_nothing) {
  const cpu_choice choice = choose_cpus(four_cores_with_smt(), {});

  EXPECT_TRUE(choice.hardware_threads.empty());
  EXPECT_FALSE(choice.impossible);
}

TEST(Placement, cores_take_one_hardware_thread_of_each_core) {
  const cpu_choice choice =
      choose_cpus(four_cores_with_smt(), {.placement = "cores", .threads = 3});

  EXPECT_EQ(choice.hardware_threads, (ids{0, 1, 2}));
}

TEST(Placement, smt_off_keeps_the_first_thread_of_every_core) {
  EXPECT_EQ(choose_cpus(four_cores_with_smt(), {.smt = "off"}).hardware_threads, (ids{0, 1, 2, 3}));
}

TEST(Placement, the_affinity_mask_limits_the_choice) {
  base::topology machine = four_cores_with_smt();
  machine.affinity = {2, 5, 6};

  EXPECT_EQ(choose_cpus(machine, {.smt = "off"}).hardware_threads, (ids{5, 2}));
}

TEST(Placement, smt_off_without_smt_is_skipped) {
  const cpu_choice choice = choose_cpus(two_plain_cores(), {.smt = "off"});

  ASSERT_TRUE(choice.impossible);
  EXPECT_EQ(choice.impossible->code, "no_smt");
}

TEST(Placement, more_threads_than_cores_are_skipped) {
  const cpu_choice choice = choose_cpus(two_plain_cores(), {.placement = "cores", .threads = 3});

  ASSERT_TRUE(choice.impossible);
  EXPECT_EQ(choice.impossible->code, "too_few_cores");
  EXPECT_NE(choice.impossible->remedy.find("at most 2"), std::string::npos);
}

TEST(Placement, the_calling_thread_is_held_to_the_chosen_threads) {
  const ids before = read_machine().affinity;
  ASSERT_FALSE(before.empty());

  hold_to({before.back()});

  const ids held = read_machine().affinity;
  hold_to(before);
  EXPECT_EQ(held, ids{before.back()});
}

}  // namespace placement_test
}  // namespace weft::lab
