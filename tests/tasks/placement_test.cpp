// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the number of workers and their CPUs on planted machines.
#include "weft/tasks/placement.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/base/topology.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "tests/support/fake_root.hpp"
#include "tests/support/machines.hpp"

namespace placement_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using weft::bind_policy;
using weft::smt_policy;
using weft::tasks::local_ranks;
using weft::tasks::place_workers;
using weft::tasks::placement_plan;
using weft::tasks::placement_request;
using weft::test::fake_root;
using weft::test::machine_of;
using weft::test::machine_shape;

/// Siblings are i and i + 4; cores 0 and 1 are on node 0.
const machine_shape two_nodes_with_smt{.num_nodes = 2, .cores_per_node = 2, .threads_per_core = 2};
const machine_shape four_cores{.cores_per_node = 4};

placement_request request_for(std::optional<int> workers,
                              bind_policy bind,
                              smt_policy smt = smt_policy::all_threads) {
  return {.workers = workers, .bind = bind, .smt = smt};
}

placement_request request_of_rank(int rank, int num_ranks) {
  return {.workers = std::nullopt,
          .ranks = local_ranks{.rank = rank, .num_ranks = num_ranks, .source = "TEST_RANK"}};
}

std::vector<std::vector<int>> cpus_of(const machine_shape& shape,
                                      const placement_request& request) {
  return place_workers(machine_of(shape), request).cpus;
}

TEST(Placement, without_a_wish_every_cpu_gets_a_worker_that_may_run_anywhere) {
  const placement_plan plan = place_workers(machine_of(four_cores), {});

  EXPECT_EQ(plan.num_workers(), 4);
  EXPECT_EQ(plan.workers_source, "all CPUs");
  EXPECT_THAT(plan.cpus, testing::Each(ElementsAre(0, 1, 2, 3)));
  EXPECT_FALSE(plan.sets_affinity);
  EXPECT_THAT(plan.warnings, IsEmpty());
}

TEST(Placement, the_affinity_mask_limits_number_and_place) {
  fake_root root;
  write_machine(root, four_cores);
  confine(root, "1,3");

  const placement_plan plan =
      place_workers(machine_of(root), request_for({}, bind_policy::compact));

  EXPECT_THAT(plan.cpus, ElementsAre(ElementsAre(1), ElementsAre(3)));
  EXPECT_EQ(plan.workers_source, "affinity mask");
  EXPECT_TRUE(plan.sets_affinity);
}

TEST(Placement, the_quota_limits_the_number) {
  fake_root root;
  write_machine(root, four_cores);
  enter_group(root);
  root.write("sys/fs/cgroup/job/cpu.max", "150000 100000");

  const placement_plan plan = place_workers(machine_of(root), {});

  EXPECT_EQ(plan.num_workers(), 2);
  EXPECT_EQ(plan.workers_source, "cgroup quota 1.5 CPUs");
}

TEST(Placement, one_per_core_takes_whole_cores) {
  const placement_plan plan =
      place_workers(machine_of(two_nodes_with_smt),
                    request_for({}, bind_policy::compact, smt_policy::one_per_core));

  EXPECT_THAT(
      plan.cpus,
      ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5), ElementsAre(2, 6), ElementsAre(3, 7)));
  EXPECT_EQ(plan.workers_source, "all CPUs, one per core");
}

TEST(Placement, compact_fills_core_by_core) {
  EXPECT_THAT(
      cpus_of(two_nodes_with_smt, request_for(5, bind_policy::compact)),
      ElementsAre(ElementsAre(0), ElementsAre(4), ElementsAre(1), ElementsAre(5), ElementsAre(2)));
}

TEST(Placement, scatter_goes_over_nodes_then_cores_then_siblings) {
  EXPECT_THAT(cpus_of(two_nodes_with_smt, request_for(6, bind_policy::scatter)),
              ElementsAre(ElementsAre(0),
                          ElementsAre(2),
                          ElementsAre(1),
                          ElementsAre(3),
                          ElementsAre(4),
                          ElementsAre(6)));
}

TEST(Placement, balanced_spreads_few_workers_evenly) {
  EXPECT_THAT(cpus_of(two_nodes_with_smt, request_for(2, bind_policy::balanced)),
              ElementsAre(ElementsAre(0), ElementsAre(2)));
}

TEST(Placement, balanced_keeps_neighbours_on_one_core_when_there_are_many) {
  EXPECT_THAT(cpus_of(two_nodes_with_smt, request_for(6, bind_policy::balanced)),
              ElementsAre(ElementsAre(0),
                          ElementsAre(4),
                          ElementsAre(1),
                          ElementsAre(5),
                          ElementsAre(2),
                          ElementsAre(3)));
}

TEST(Placement, balanced_knows_cores_of_which_only_a_part_is_allowed) {
  fake_root root;
  write_machine(root, two_nodes_with_smt);
  confine(root, "0,1,5");

  EXPECT_THAT(place_workers(machine_of(root), request_for({}, bind_policy::balanced)).cpus,
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(5)));
}

TEST(Placement, as_many_workers_as_places_fill_every_place_once) {
  for (const bind_policy bind :
       {bind_policy::compact, bind_policy::scatter, bind_policy::balanced}) {
    const std::vector<std::vector<int>> cpus = cpus_of(two_nodes_with_smt, request_for(8, bind));
    EXPECT_EQ(std::set(cpus.begin(), cpus.end()).size(), 8u);
  }
}

TEST(Placement, twice_as_many_workers_as_places_fill_every_place_twice_and_are_warned) {
  for (const bind_policy bind :
       {bind_policy::compact, bind_policy::scatter, bind_policy::balanced}) {
    const placement_plan plan =
        place_workers(machine_of(two_nodes_with_smt), request_for(16, bind));
    for (int id = 0; id < 8; ++id) {
      EXPECT_EQ(std::ranges::count(plan.cpus, std::vector{id}), 2);
    }
    EXPECT_THAT(plan.warnings, ElementsAre(HasSubstr("16 workers are bound to 8 places")));
  }
}

TEST(Placement, unbound_workers_may_be_many_without_a_warning) {
  EXPECT_THAT(place_workers(machine_of(four_cores), request_for(64, bind_policy::none)).warnings,
              IsEmpty());
}

TEST(Placement, more_than_sixteen_unbound_workers_a_cpu_are_warned_of) {
  EXPECT_THAT(place_workers(machine_of(four_cores), request_for(65, bind_policy::none)).warnings,
              ElementsAre("65 workers share 4 CPUs: tests may want that, measurements do not."));
}

TEST(Placement, a_number_of_workers_that_cannot_be_is_refused) {
  for (const int workers : {0, -1, 1025}) {
    EXPECT_THAT(
        [&] {
          (void)place_workers(machine_of(four_cores), request_for(workers, bind_policy::none));
        },
        ThrowsMessage<weft::error>(
            std::to_string(workers) +
            " workers on 4 CPUs: a runtime has 1 to 1024 workers; change --weft:workers, "
            "WEFT_WORKERS or runtime_options::workers"));
  }
  EXPECT_EQ(cpus_of(four_cores, request_for(1024, bind_policy::none)).size(), 1024u);
}

TEST(Placement, ranks_that_share_a_node_split_its_cores) {
  const weft::base::topology machine = machine_of(two_nodes_with_smt);

  const placement_plan first = place_workers(machine, request_of_rank(0, 2));
  const placement_plan second = place_workers(machine, request_of_rank(1, 2));

  EXPECT_THAT(first.process_cpus, ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(second.process_cpus, ElementsAre(2, 3, 6, 7));
  EXPECT_EQ(second.num_workers(), 4);
  EXPECT_EQ(second.workers_source, "affinity mask, part of rank 1 of 2 by TEST_RANK");
  EXPECT_TRUE(second.sets_affinity) << "even without binding: a rank keeps to its part";
  EXPECT_THAT(second.warnings, IsEmpty());
}

TEST(Placement, every_core_goes_to_one_rank_when_the_division_leaves_a_rest) {
  const weft::base::topology machine = machine_of(machine_shape{.cores_per_node = 8});
  std::vector<int> given;
  for (int rank = 0; rank < 3; ++rank) {
    const std::vector<int> part = place_workers(machine, request_of_rank(rank, 3)).process_cpus;
    EXPECT_GE(part.size(), 2u);
    given.insert(given.end(), part.begin(), part.end());
  }

  EXPECT_THAT(given, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Placement, ranks_that_their_launcher_bound_keep_their_masks) {
  fake_root root;
  write_machine(root, four_cores);
  confine(root, "2-3");

  const placement_plan plan = place_workers(machine_of(root), request_of_rank(1, 2));

  EXPECT_THAT(plan.process_cpus, ElementsAre(2, 3));
  EXPECT_FALSE(plan.sets_affinity);
  EXPECT_THAT(plan.warnings, IsEmpty());
}

TEST(Placement, ranks_confined_to_one_group_split_what_the_group_has) {
  fake_root root;
  write_machine(root, four_cores);
  confine(root, "2-3");
  placement_request request = request_of_rank(1, 2);
  request.shared_cpus = {2, 3};

  EXPECT_THAT(place_workers(machine_of(root), request).process_cpus, ElementsAre(3));
}

TEST(Placement, masks_that_must_overlap_are_warned_about) {
  fake_root root;
  write_machine(root, four_cores);
  confine(root, "0-2");

  EXPECT_THAT(place_workers(machine_of(root), request_of_rank(0, 2)).warnings,
              ElementsAre(HasSubstr("holds 3 of them: masks overlap")));
}

TEST(Placement, more_ranks_than_cores_share_cores_and_are_warned) {
  const weft::base::topology machine = machine_of(machine_shape{.cores_per_node = 2});

  for (int rank = 0; rank < 5; ++rank) {
    const placement_plan plan = place_workers(machine, request_of_rank(rank, 5));
    EXPECT_EQ(plan.num_workers(), 1);
    EXPECT_THAT(plan.warnings, ElementsAre(HasSubstr("2 usable cores: some ranks share a core")));
  }
}

TEST(Placement, ranks_share_the_quota) {
  fake_root root;
  write_machine(root, four_cores);
  enter_group(root);
  root.write("sys/fs/cgroup/job/cpu.max", "200000 100000");

  const placement_plan plan = place_workers(machine_of(root), request_of_rank(0, 2));

  EXPECT_EQ(plan.num_workers(), 1);
  EXPECT_THAT(plan.workers_source, HasSubstr("cgroup quota 1 CPUs, part of rank 0 of 2"));
}

TEST(Placement, this_machine_has_a_plan) {
  const placement_plan plan =
      place_workers(weft::base::read_topology(), weft::tasks::placement_request_from({}));

  EXPECT_GE(plan.num_workers(), 1);
  EXPECT_THAT(plan.cpus, testing::Each(testing::Not(IsEmpty())));
}

TEST(Placement, only_some_plans_need_more_than_the_list_of_cpus) {
  using weft::tasks::needs_topology;
  EXPECT_FALSE(needs_topology({}));
  EXPECT_FALSE(needs_topology(request_for(7, bind_policy::none)));
  EXPECT_FALSE(needs_topology(request_of_rank(0, 1)));
  EXPECT_TRUE(needs_topology(request_for(7, bind_policy::compact)));
  EXPECT_TRUE(needs_topology(request_for(7, bind_policy::none, smt_policy::one_per_core)));
  EXPECT_TRUE(needs_topology(request_of_rank(0, 2)));

  const weft::base::topology whole = weft::base::read_topology();
  const weft::base::topology list =
      weft::base::read_topology({.reader = weft::base::topology_reader::cpu_list});
  for (const std::optional<int> workers : {std::optional<int>(), std::optional<int>(5)}) {
    const placement_plan by_whole = place_workers(whole, {.workers = workers});
    const placement_plan by_list = place_workers(list, {.workers = workers});
    EXPECT_EQ(by_list.cpus, by_whole.cpus);
    EXPECT_EQ(by_list.workers_source, by_whole.workers_source);
    EXPECT_EQ(by_list.sets_affinity, by_whole.sets_affinity);
    EXPECT_EQ(by_list.process_cpus, by_whole.process_cpus);
  }
}

TEST(PrintBinding, is_a_table) {
  const weft::base::topology machine = machine_of(two_nodes_with_smt);
  const placement_plan plan =
      place_workers(machine, request_for(2, bind_policy::scatter, smt_policy::one_per_core));

  EXPECT_EQ(print_binding(plan, machine),
            "workers: 2 (requested); bind: scatter\n"
            "worker  CPUs  cores  NUMA nodes\n"
            "0       0,4   0      0\n"
            "1       2,6   2      1\n");
}

TEST(PrintBinding, shortens_runs_and_ends_with_the_warnings) {
  fake_root root;
  write_machine(root, four_cores);
  confine(root, "0-1,3");
  placement_request request = request_of_rank(0, 2);
  request.workers = 1;

  const weft::base::topology machine = machine_of(root);
  const std::string text = print_binding(place_workers(machine, request), machine);

  EXPECT_THAT(text, HasSubstr("0       0-1,3  0-1,3  0\nwarning: 2 ranks share"));
}

TEST(Placement, workers_keep_to_the_cpus_they_are_given) {
  placement_request request = request_for({}, bind_policy::none);
  request.cpus = {3, 1, 3};

  const placement_plan plan = place_workers(machine_of(four_cores), request);

  EXPECT_THAT(plan.cpus, ElementsAre(ElementsAre(1, 3), ElementsAre(1, 3)));
  EXPECT_TRUE(plan.sets_affinity);
}

TEST(Placement, a_cpu_that_the_process_may_not_use_is_refused) {
  placement_request request = request_for({}, bind_policy::compact);
  request.cpus = {0, 4};

  EXPECT_THAT(
      [&] { static_cast<void>(place_workers(machine_of(four_cores), request)); },
      ThrowsMessage<weft::error>(HasSubstr("CPU 4 is not one that this process may use; "
                                           "runtime_options::cpus takes those of 0 1 2 3")));
}

TEST(Placement, a_numa_node_has_those_of_its_cpus_that_may_be_used) {
  fake_root root;
  write_machine(root, two_nodes_with_smt);
  confine(root, "0,2-3,6");
  const weft::base::topology machine = weft::base::read_topology({.root = root.path()});
  placement_request request = request_for(3, bind_policy::compact);

  request.cpus = weft::tasks::cpus_of_numa_node(machine, request, 1);

  EXPECT_THAT(request.cpus, ElementsAre(2, 3, 6));
  EXPECT_THAT(weft::tasks::cpus_of_numa_node(machine, request_for({}, bind_policy::none), 0),
              ElementsAre(0));
  EXPECT_THAT(place_workers(machine, request).cpus,
              testing::UnorderedElementsAre(ElementsAre(2), ElementsAre(3), ElementsAre(6)));
}

TEST(Placement, a_numa_node_that_cannot_be_had_is_refused) {
  fake_root root;
  write_machine(root, two_nodes_with_smt);
  confine(root, "2-3");
  const weft::base::topology machine = weft::base::read_topology({.root = root.path()});

  EXPECT_THAT([&] { static_cast<void>(weft::tasks::cpus_of_numa_node(machine, {}, 2)); },
              ThrowsMessage<weft::error>("there is no NUMA node 2; this machine's are 0 1"));
  EXPECT_THAT([&] { static_cast<void>(weft::tasks::cpus_of_numa_node(machine, {}, 0)); },
              ThrowsMessage<weft::error>(
                  "NUMA node 0 has no CPU that this process may use; those are 2 3"));
}

}  // namespace placement_test
