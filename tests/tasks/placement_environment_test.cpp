// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about reading what launchers and control groups tell.
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/tasks/placement.hpp"

#include "tests/support/fake_root.hpp"
#include "tests/support/machines.hpp"

namespace placement_environment_test {

using testing::ElementsAre;
using testing::Optional;
using weft::tasks::local_ranks;
using weft::test::fake_root;

std::optional<local_ranks> ranks_with(std::map<std::string, std::string> variables) {
  return weft::tasks::read_local_ranks([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

void expect_ranks(const std::optional<local_ranks>& found, int rank, int num_ranks) {
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rank, rank);
  EXPECT_EQ(found->num_ranks, num_ranks);
}

/// Variables of task 1 on the third node of a job step.
std::map<std::string, std::string> slurm_step(const std::string& tasks_per_node) {
  return {{"SLURM_STEP_ID", "0"},
          {"SLURM_LOCALID", "1"},
          {"SLURM_NODEID", "2"},
          {"SLURM_STEP_TASKS_PER_NODE", tasks_per_node},
          {"SLURM_NTASKS_PER_NODE", "8"}};
}

TEST(LocalRanks, without_a_launcher_there_are_none) { EXPECT_EQ(ranks_with({}), std::nullopt); }

TEST(LocalRanks, every_launcher_has_its_variables) {
  expect_ranks(
      ranks_with({{"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}), 1, 4);
  expect_ranks(ranks_with({{"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "2"}}), 0, 2);
  expect_ranks(
      ranks_with({{"MV2_COMM_WORLD_LOCAL_RANK", "3"}, {"MV2_COMM_WORLD_LOCAL_SIZE", "4"}}), 3, 4);
  expect_ranks(ranks_with({{"PMI_LOCAL_RANK", "5"}, {"PMI_LOCAL_SIZE", "6"}}), 5, 6);
}

TEST(LocalRanks, the_library_that_was_started_inside_a_step_wins_over_slurm) {
  std::map<std::string, std::string> variables = slurm_step("4(x3)");
  variables["OMPI_COMM_WORLD_LOCAL_RANK"] = "7";
  variables["OMPI_COMM_WORLD_LOCAL_SIZE"] = "9";

  const auto found = ranks_with(variables);

  expect_ranks(found, 7, 9);
  EXPECT_EQ(found->source, "OMPI_COMM_WORLD_LOCAL_RANK");
}

TEST(LocalRanks, slurm_lists_the_tasks_of_every_node) {
  expect_ranks(ranks_with(slurm_step("4(x2),3")), 1, 3);
  expect_ranks(ranks_with(slurm_step("4,5,6")), 1, 6);
  expect_ranks(ranks_with(slurm_step("2(x5)")), 1, 2);
}

TEST(LocalRanks, a_list_that_cannot_be_read_leaves_the_number_per_node) {
  for (const char* list : {"4", "4(x2),", "4(x", "4(y3)", "x", "4(x2)3"}) {
    expect_ranks(ranks_with(slurm_step(list)), 1, 8);
  }
}

TEST(LocalRanks, a_batch_script_is_no_rank) {
  EXPECT_EQ(ranks_with({{"SLURM_LOCALID", "0"}, {"SLURM_NTASKS_PER_NODE", "4"}}), std::nullopt);
}

TEST(LocalRanks, a_pair_that_makes_no_sense_is_passed_over) {
  expect_ranks(ranks_with({{"OMPI_COMM_WORLD_LOCAL_RANK", "4"},
                           {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                           {"MPI_LOCALRANKID", "1"},
                           {"MPI_LOCALNRANKS", "2"}}),
               1,
               2);
  EXPECT_EQ(ranks_with({{"MPI_LOCALRANKID", "1"}}), std::nullopt);
  EXPECT_EQ(ranks_with({{"MPI_LOCALRANKID", "one"}, {"MPI_LOCALNRANKS", "2"}}), std::nullopt);
  EXPECT_EQ(ranks_with({{"MPI_LOCALRANKID", "-1"}, {"MPI_LOCALNRANKS", "2"}}), std::nullopt);
}

TEST(SharedCpus, are_those_of_the_innermost_group_that_has_any) {
  fake_root root;
  enter_group(root);
  root.write("sys/fs/cgroup/cpuset.cpus.effective", "0-7");
  EXPECT_THAT(weft::tasks::read_shared_cpus(root.path()),
              Optional(ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)));

  root.write("sys/fs/cgroup/job/cpuset.cpus.effective", "2-3");
  EXPECT_THAT(weft::tasks::read_shared_cpus(root.path()), Optional(ElementsAre(2, 3)));
}

TEST(SharedCpus, are_found_in_version_1_groups) {
  fake_root root;
  root.write("proc/self/cgroup", "5:cpuset:/job\n0::/")
      .write("proc/self/mountinfo",
             "31 20 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
             "32 20 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset")
      .write("sys/fs/cgroup/cpuset/job/cpuset.effective_cpus", "1,3");

  EXPECT_THAT(weft::tasks::read_shared_cpus(root.path()), Optional(ElementsAre(1, 3)));
}

TEST(SharedCpus, are_unknown_without_groups) {
  const fake_root root;

  EXPECT_EQ(weft::tasks::read_shared_cpus(root.path()), std::nullopt);
}

}  // namespace placement_environment_test
