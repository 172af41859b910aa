// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem qap: published optima, every assignment of the smallest, planted errors, both bodies.
#include "lab/inncabs/qap/qap.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inncabs/inline_runtime.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/qap/qap_futures.hpp"
#include "lab/inncabs/qap/qap_groups.hpp"

namespace weft::lab::inncabs::qap {
namespace qap_test {

using ::testing::HasSubstr;
using testing::inline_runtime;

constexpr std::uint64_t any_seed = 42;

input tiny() { return make_input(input_class::tiny, any_seed); }

input limited_to(std::uint64_t tasks) {
  input of = tiny();
  of.task_limit = tasks;
  return of;
}

/// The least cost of all assignments, none left out.
std::int64_t cheapest_of_all(const input& of) {
  std::vector<std::size_t> location(of.size);
  std::iota(location.begin(), location.end(), std::size_t{0});
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  do {
    std::int64_t cost = 0;
    for (std::size_t i = 0; i < of.size; ++i) {
      for (std::size_t j = 0; j < of.size; ++j) {
        cost += std::int64_t{of.flow[i * of.size + j]} *
                of.distance[location[i] * of.size + location[j]];
      }
    }
    least = std::min(least, cost);
  } while (std::next_permutation(location.begin(), location.end()));
  return least;
}

/// Neither symmetric nor without costs on the diagonals.
input lopsided() {
  input of;
  of.name = "lopsided";
  of.size = 5;
  for (std::int32_t i = 0; i < 25; ++i) {
    of.flow.push_back(i * 7 % 11);
    of.distance.push_back(i * 5 % 13);
  }
  of.optimum = cheapest_of_all(of);
  return of;
}

class Published : public ::testing::TestWithParam<std::pair<std::string_view, std::int64_t>> {};

TEST_P(Published, optimum_is_found) {
  const input of = make_instance(GetParam().first);

  const result found = run_serial(of);

  EXPECT_EQ(found.cost, GetParam().second);
  EXPECT_EQ(mismatch(of, found), "");
}

INSTANTIATE_TEST_SUITE_P(qap,
                         Published,
                         ::testing::Values(std::pair("chr12a", 9552),
                                           std::pair("chr12b", 9742),
                                           std::pair("chr12c", 11156)));

TEST(Qap, serial_search_finds_the_cheapest_of_all_assignments) {
  for (const input& of : {tiny(), lopsided()}) {
    EXPECT_EQ(run_serial(of).cost, cheapest_of_all(of)) << of.name;
    EXPECT_EQ(of.optimum, cheapest_of_all(of)) << of.name;
  }
}

TEST(Qap, flows_are_a_tree_and_distances_symmetric) {
  const input of = make_instance("chr12b");

  EXPECT_EQ(std::ranges::count_if(of.flow, [](std::int32_t flow) { return flow > 0; }), 2 * 11);
  for (std::size_t i = 0; i < of.size; ++i) {
    EXPECT_EQ(of.distance_between(i, i), 0);
    for (std::size_t j = 0; j < of.size; ++j) {
      EXPECT_EQ(of.distance_between(i, j), of.distance_between(j, i));
      EXPECT_EQ(of.flow_between(i, j), of.flow_between(j, i));
    }
  }
  EXPECT_EQ(of.distance_between(10, 11), 18);
  EXPECT_EQ(of.distance_between(5, 10), 0);
}

TEST(Qap, instances_that_do_not_exist_are_named) {
  try {
    static_cast<void>(make_instance("chr13a"));
    FAIL() << "chr13a does not exist";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("'chr13a'"));
    EXPECT_THAT(error.what(), HasSubstr("chr12c"));
  }
}

TEST(Qap, both_bodies_search_as_the_serial_code_does) {
  for (const input& of : {tiny(), lopsided()}) {
    const result expected = run_serial(of);
    for (const result& found : {run_futures<inline_runtime>(of, inline_runtime::launch::at_once),
                                run_groups<inline_runtime>(of)}) {
      EXPECT_EQ(mismatch(of, found), "");
      EXPECT_EQ(found.nodes, expected.nodes);
      EXPECT_EQ(found.location, expected.location);
    }
  }
}

TEST(Qap, task_limit_ends_every_form_at_the_same_node) {
  const input of = limited_to(500);
  const result expected = run_serial(of);
  ASSERT_FALSE(expected.is_complete);

  for (const result& found : {run_futures<inline_runtime>(of, inline_runtime::launch::at_once),
                              run_groups<inline_runtime>(of)}) {
    EXPECT_FALSE(found.is_complete);
    EXPECT_EQ(mismatch(of, found), "");
    EXPECT_EQ(found.nodes, expected.nodes);
    EXPECT_EQ(found.cost, expected.cost);
  }
}

TEST(Qap, limit_without_a_complete_assignment_is_no_error) {
  const input of = limited_to(3);

  const result found = run_serial(of);

  EXPECT_TRUE(found.location.empty());
  EXPECT_EQ(mismatch(of, found), "");
}

TEST(Qap, limit_that_is_not_reached_leaves_the_optimum) {
  const input of = limited_to(1'000'000);

  const result found = run_groups<inline_runtime>(of);

  EXPECT_TRUE(found.is_complete);
  EXPECT_EQ(mismatch(of, found), "");
}

TEST(QapMismatch, rejects_an_assignment_that_is_none) {
  const input of = tiny();
  result found = run_serial(of);
  found.location[0] = found.location[1];

  EXPECT_THAT(mismatch(of, found), HasSubstr("location of its own"));
}

TEST(QapMismatch, rejects_a_cost_that_is_not_the_assignments) {
  const input of = tiny();
  result found = run_serial(of);
  found.cost -= 2;

  EXPECT_EQ(mismatch(of, found), "the assignment costs 7638, claimed are 7636");
}

TEST(QapMismatch, rejects_an_assignment_that_is_not_the_cheapest) {
  const input of = tiny();
  result found = run_serial(limited_to(500));
  found.is_complete = true;

  EXPECT_THAT(mismatch(of, found), HasSubstr("expected 7638"));
}

TEST(QapMismatch, rejects_a_search_that_visited_too_little) {
  const input of = tiny();
  result found = run_serial(of);
  found.nodes = 7;

  EXPECT_THAT(mismatch(of, found), HasSubstr("there are 7 nodes"));
}

TEST(QapMismatch, rejects_branches_left_out_without_a_limit) {
  const result found = run_serial(limited_to(500));

  EXPECT_THAT(mismatch(tiny(), found), HasSubstr("without a task limit"));
}

TEST(QapMismatch, rejects_more_nodes_than_the_limit_allows) {
  const result found = run_serial(limited_to(500));

  EXPECT_THAT(mismatch(limited_to(100), found), HasSubstr("allowed are 100 tasks"));
}

TEST(QapMismatch, rejects_a_wrong_assignment_of_a_search_cut_short) {
  const input of = limited_to(500);
  result found = run_serial(of);
  ++found.cost;

  EXPECT_THAT(mismatch(of, found), HasSubstr("claimed are"));
}

}  // namespace qap_test
}  // namespace weft::lab::inncabs::qap
