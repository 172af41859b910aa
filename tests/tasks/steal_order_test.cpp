// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about whom a worker steals from first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/topology.hpp"
#include "weft/tasks/placement.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "tests/support/machines.hpp"

namespace steal_order_test {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using weft::bind_policy;
using weft::smt_policy;
using weft::tasks::distance;
using weft::tasks::place_workers;
using weft::tasks::placement_plan;
using weft::tasks::steal_order;
using weft::tasks::victim_group;
using weft::test::machine_of;

template <class Workers>
auto group(distance far, Workers workers) {
  return testing::AllOf(Field(&victim_group::far, far), Field(&victim_group::workers, workers));
}

weft::base::topology two_nodes_with_smt() {
  return machine_of({.num_nodes = 2, .cores_per_node = 2, .threads_per_core = 2});
}

TEST(StealOrder, goes_from_near_to_far) {
  const weft::base::topology machine = two_nodes_with_smt();
  const placement_plan plan = place_workers(machine, {.workers = 8, .bind = bind_policy::compact});

  EXPECT_THAT(steal_order(plan, machine, 2),
              ElementsAre(group(distance::core, ElementsAre(3)),
                          group(distance::l3, ElementsAre(0, 1)),
                          group(distance::machine, ElementsAre(4, 5, 6, 7))));
}

TEST(StealOrder, starts_each_group_behind_the_thief) {
  const weft::base::topology machine = machine_of({.cores_per_node = 4});
  const placement_plan plan = place_workers(machine, {.workers = 4, .bind = bind_policy::compact});

  EXPECT_THAT(steal_order(plan, machine, 1),
              ElementsAre(group(distance::l3, ElementsAre(2, 3, 0))));
}

TEST(StealOrder, without_caches_memory_and_package_decide) {
  weft::base::topology machine = two_nodes_with_smt();
  machine.caches.clear();
  for (weft::base::hardware_thread& thread : machine.hardware_threads) {
    thread.package = 0;
  }
  const placement_plan plan = place_workers(
      machine, {.workers = 4, .bind = bind_policy::compact, .smt = smt_policy::one_per_core});

  EXPECT_THAT(steal_order(plan, machine, 0),
              ElementsAre(group(distance::numa_node, ElementsAre(1)),
                          group(distance::package, ElementsAre(2, 3))));
}

TEST(StealOrder, a_shared_level_2_cache_is_nearer_than_level_3) {
  weft::base::topology machine = machine_of({.cores_per_node = 4});
  machine.caches[0].hardware_threads = {0, 2};  // of the caches 0 to 3 of level 2
  machine.caches.erase(machine.caches.begin() + 2);
  const placement_plan plan = place_workers(machine, {.workers = 4, .bind = bind_policy::compact});

  EXPECT_THAT(
      steal_order(plan, machine, 0),
      ElementsAre(group(distance::l2, ElementsAre(2)), group(distance::l3, ElementsAre(1, 3))));
}

TEST(StealOrder, two_workers_on_one_cpu_are_nearest) {
  const weft::base::topology machine = machine_of({.cores_per_node = 2});
  const placement_plan plan = place_workers(machine, {.workers = 3, .bind = bind_policy::compact});

  EXPECT_THAT(
      steal_order(plan, machine, 0),
      ElementsAre(group(distance::core, ElementsAre(2)), group(distance::l3, ElementsAre(1))));
}

TEST(StealOrder, nobody_knows_who_is_near_an_unbound_worker) {
  const weft::base::topology machine = two_nodes_with_smt();
  const placement_plan plan = place_workers(machine, {.workers = 3});

  EXPECT_THAT(steal_order(plan, machine, 1),
              ElementsAre(group(distance::unknown, ElementsAre(2, 0))));
}

TEST(StealOrder, a_lonely_worker_has_no_victims) {
  const weft::base::topology machine = two_nodes_with_smt();

  EXPECT_THAT(steal_order(place_workers(machine, {.workers = 1}), machine, 0), IsEmpty());
}

}  // namespace steal_order_test
