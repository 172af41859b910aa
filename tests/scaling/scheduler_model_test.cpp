// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulation of the scheduler: what must hold for every program and every number of workers.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include "lab/scaling/simulated/model_options.hpp"
#include "lab/scaling/simulated/modelled_lines.hpp"
#include "lab/scaling/simulated/simulation.hpp"
#include "lab/tasks/uts_tree.hpp"

namespace scheduler_model_test {

using namespace weft::lab::scaling::simulated;
using weft::lab::tasks::uts_node;
using weft::lab::tasks::uts_tree;
using weft::lab::tasks::uts_trees;

constexpr std::uint32_t num_leaves = 512;
constexpr std::uint32_t uts_depth = 5;
constexpr nanoseconds body{2000};

model_options program(workload_kind kind, unsigned num_workers) {
  const bool is_uts = kind == workload_kind::uts;
  return {.num_workers = num_workers,
          .work = {.kind = kind, .size = is_uts ? uts_depth : num_leaves, .body = body}};
}

model_result result_of(const model_options& options) { return simulation(options).run(); }

const operation_counts& of(const model_result& from, operation_kind kind) {
  return from.operations[static_cast<std::size_t>(kind)];
}

double visited_per_operation(const model_result& from, operation_kind kind) {
  return static_cast<double>(of(from, kind).visited) / static_cast<double>(of(from, kind).number);
}

// NOLINTNEXTLINE(misc-no-recursion): a tree
std::uint64_t num_nodes(const uts_tree& tree, const uts_node& node) {
  std::uint64_t sum = 1;
  for (std::uint32_t i = 0; i < node.num_children(tree); ++i) {
    sum += num_nodes(tree, node.child(i));
  }
  return sum;
}

TEST(SchedulerModel, gives_the_same_result_for_the_same_seed) {
  model_options options = program(workload_kind::tree, 48);

  const model_result first = result_of(options);

  EXPECT_EQ(result_of(options), first);
  options.seed = 2;
  EXPECT_NE(result_of(options), first);
}

TEST(SchedulerModel, runs_every_task_once) {
  uts_tree tree = uts_trees().front();
  tree.depth_limit = uts_depth;
  const std::uint64_t nodes = num_nodes(tree, uts_node::root(tree));

  for (const unsigned num_workers : {1U, 2U, 7U, 32U}) {
    const model_result balanced = result_of(program(workload_kind::tree, num_workers));
    EXPECT_EQ(balanced.num_tasks, 2 * num_leaves - 1);
    EXPECT_EQ(balanced.bodies, num_leaves * body);
    const model_result uts = result_of(program(workload_kind::uts, num_workers));
    EXPECT_EQ(uts.num_tasks, nodes);
    EXPECT_EQ(uts.bodies, nodes * body);
    EXPECT_EQ(result_of(program(workload_kind::loop, num_workers)).num_tasks, num_leaves);
  }
}

TEST(SchedulerModel, takes_the_serial_time_with_one_worker) {
  const model_options options = program(workload_kind::tree, 1);

  const model_result found = result_of(options);

  EXPECT_EQ(found.time,
            num_leaves * body + (num_leaves - 1) * (options.costs.fork + options.costs.join));
  EXPECT_EQ(of(found, operation_kind::steal).number, 0);
}

TEST(SchedulerModel, is_never_faster_than_work_and_span_allow) {
  for (const workload_kind kind : {workload_kind::tree, workload_kind::uts, workload_kind::loop}) {
    for (const unsigned num_workers : {2U, 8U, 64U}) {
      for (const unsigned fan_out : {0U, 3U}) {
        model_options options = program(kind, num_workers);
        options.rules.fan_out = fan_out;
        const model_result found = result_of(options);
        EXPECT_GE(found.time, found.bodies / num_workers);
        EXPECT_GE(found.time, kind == workload_kind::uts ? body * 2 : body);
      }
    }
  }
}

TEST(SchedulerModel, gains_from_workers_if_tasks_are_long) {
  model_options options = program(workload_kind::tree, 32);
  options.work.body = nanoseconds(50'000);

  const model_result found = result_of(options);

  EXPECT_GT(found.bodies / found.time, 24);
}

/// The power of the number of workers that the visited lines of an operation grow with.
double power_of_growth(operation_kind kind, scheduling_rules rules) {
  const auto visited = [&](unsigned num_workers) {
    model_options options = program(workload_kind::tree, num_workers);
    options.rules = rules;
    return visited_per_operation(result_of(options), kind);
  };
  return std::log2(visited(64) / visited(8)) / 3.0;
}

TEST(SchedulerModel, shows_a_planted_sweep_over_all_workers) {
  EXPECT_LT(power_of_growth(operation_kind::steal, {}), 0.2);
  EXPECT_GT(power_of_growth(operation_kind::steal, {.has_planted_sweep = true}), 0.8);
}

TEST(SchedulerModel, shows_that_a_failed_search_visits_all_workers_unless_it_is_limited) {
  EXPECT_GT(power_of_growth(operation_kind::failed_search, {}), 0.8);
  EXPECT_LT(power_of_growth(operation_kind::failed_search, {.fan_out = 4}), 0.2);
}

TEST(SchedulerModel, wakes_a_flat_program_one_by_one_unless_each_worker_wakes_two) {
  constexpr unsigned num_workers = 64;
  model_options options = program(workload_kind::spread, num_workers);

  EXPECT_EQ(result_of(options).wake_steps, num_workers - 1);
  options.rules.num_wakes = 2;
  EXPECT_LE(result_of(options).wake_steps, 2 * std::bit_width(num_workers));
}

TEST(SchedulerModel, takes_longer_if_lines_are_farther_away) {
  model_options options = program(workload_kind::spread, 64);
  const nanoseconds one_package = result_of(options).time;

  options.machine.cores_per_package = 8;

  EXPECT_GT(result_of(options).time, one_package);
}

}  // namespace scheduler_model_test
