// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem floorplan: optima by hand and by trying everything, planted errors, both bodies.
#include "lab/inncabs/floorplan/floorplan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inncabs/inline_runtime.hpp"
#include "lab/inncabs/floorplan/floorplan_futures.hpp"
#include "lab/inncabs/floorplan/floorplan_groups.hpp"
#include "lab/inncabs/floorplan/plan.hpp"
#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::floorplan {
namespace floorplan_test {

using ::testing::HasSubstr;
using testing::inline_runtime;

constexpr std::uint64_t usual_seed = 42;

input tiny() { return make_input(input_class::tiny, usual_seed); }

input limited_to(std::uint64_t tasks) {
  input of = tiny();
  of.task_limit = tasks;
  return of;
}

/// A 3 x 2 cell that may be turned, and a 2 x 2 cell beside it: 3 x 2 and 2 x 2 in a row are least.
input by_hand() {
  return {.cells = {{.shapes = {{2, 3}, {3, 2}}, .left = {}, .above = {}},
                    {.shapes = {{2, 2}}, .left = 0, .above = {}}},
          .optimum = 10};
}

/// The least area of all plans, none left out: every square of the board is tried for every cell.
class everything {
 public:
  explicit everything(const input& of) : of_(of) { place_next(); }
  [[nodiscard]] int least() const { return least_; }

 private:
  void place_next() {
    const std::size_t i = laid_.size();
    if (i == of_.cells.size()) {
      take_area();
      return;
    }
    for (const shape size : of_.cells[i].shapes) {
      for (int x = 0; x <= reach; ++x) {
        for (int y = 0; y <= reach; ++y) {
          try_at(rectangle_at(x, y, size));
        }
      }
    }
  }

  void try_at(const rectangle& where) {
    if (!is_allowed(where)) {
      return;
    }
    laid_.push_back(where);
    place_next();
    laid_.pop_back();
  }

  [[nodiscard]] bool is_allowed(const rectangle& where) const {
    const cell& next = of_.cells[laid_.size()];
    if (laid_.empty()) {
      return where.x == 0 && where.y == 0;
    }
    if (next.left &&
        (where.x != laid_[*next.left].right() || !share_rows(where, laid_[*next.left]))) {
      return false;
    }
    if (next.above &&
        (where.y != laid_[*next.above].bottom() || !share_columns(where, laid_[*next.above]))) {
      return false;
    }
    return std::ranges::none_of(laid_, [&](const auto& other) { return overlap(where, other); });
  }

  void take_area() {
    int width = 0;
    int height = 0;
    for (const rectangle& each : laid_) {
      width = std::max(width, each.right());
      height = std::max(height, each.bottom());
    }
    least_ = std::min(least_, width * height);
  }

  static constexpr int reach = 5 * 8;
  const input& of_;
  std::vector<rectangle> laid_;
  int least_ = std::numeric_limits<int>::max();
};

int sum_of_least_areas(const input& of) {
  int sum = 0;
  for (const cell& each : of.cells) {
    sum += std::ranges::min(each.shapes, {}, &shape::area).area();
  }
  return sum;
}

TEST(Floorplan, small_plan_is_as_found_by_hand) {
  const input of = by_hand();

  const result found = run_serial(of);

  EXPECT_EQ(mismatch(of, found), "");
  EXPECT_EQ(found.cells, (std::vector{rectangle_at(0, 0, {3, 2}), rectangle_at(3, 0, {2, 2})}));
}

TEST(Floorplan, optimum_is_the_least_of_all_plans) {
  EXPECT_EQ(everything(by_hand()).least(), 10);
  // Five cells have too many plans for a test; their first three do not.
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    input of = make_input(input_class::tiny, seed);
    of.cells.resize(3);

    EXPECT_EQ(run_serial(of).area, everything(of).least()) << "seed " << seed;
  }
}

TEST(Floorplan, instances_have_the_cells_effort_and_bounds_of_their_class) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 42U}) {
    const input of = make_input(input_class::tiny, seed);
    const effort wanted = effort_of(input_class::tiny);
    const result found = run_serial(of);

    EXPECT_EQ(of.cells.size(), 5U);
    EXPECT_GE(of.optimum, sum_of_least_areas(of));
    EXPECT_GE(found.nodes, wanted.least);
    EXPECT_LE(found.nodes, wanted.most);
    EXPECT_EQ(mismatch(of, found), "") << "seed " << seed;
  }
}

TEST(Floorplan, instances_depend_on_the_seed_alone) {
  const auto shapes_of = [](const input& of) {
    std::vector<shape> every;
    for (const cell& each : of.cells) {
      every.insert(every.end(), each.shapes.begin(), each.shapes.end());
    }
    return every;
  };

  EXPECT_EQ(shapes_of(tiny()), shapes_of(tiny()));
  EXPECT_NE(shapes_of(tiny()), shapes_of(make_input(input_class::tiny, 43)));
}

TEST(Floorplan, both_bodies_search_as_the_serial_code_does) {
  for (const input& of : {tiny(), by_hand()}) {
    const result expected = run_serial(of);
    for (const result& found : {run_futures<inline_runtime>(of, inline_runtime::launch::at_once),
                                run_groups<inline_runtime>(of)}) {
      EXPECT_EQ(mismatch(of, found), "");
      EXPECT_EQ(found.nodes, expected.nodes);
      EXPECT_EQ(found.cells, expected.cells);
    }
  }
}

TEST(Floorplan, task_limit_ends_every_form_after_as_many_nodes) {
  const input of = limited_to(100);
  const result expected = run_serial(of);
  ASSERT_FALSE(expected.is_complete);

  for (const result& found : {expected,
                              run_futures<inline_runtime>(of, inline_runtime::launch::at_once),
                              run_groups<inline_runtime>(of)}) {
    EXPECT_FALSE(found.is_complete);
    EXPECT_EQ(mismatch(of, found), "");
    EXPECT_EQ(found.nodes, 100U);
    EXPECT_EQ(found.area, expected.area);
  }
}

TEST(Floorplan, limit_without_a_complete_plan_is_no_error) {
  const input of = limited_to(2);

  const result found = run_groups<inline_runtime>(of);

  EXPECT_TRUE(found.cells.empty());
  EXPECT_EQ(mismatch(of, found), "");
}

/// A result that `by_hand` would accept, for errors to be planted in.
result right() {
  return {.area = 10,
          .cells = {rectangle_at(0, 0, {3, 2}), rectangle_at(3, 0, {2, 2})},
          .nodes = 5,
          .is_complete = true};
}

TEST(FloorplanMismatch, accepts_what_the_errors_are_planted_in) {
  EXPECT_EQ(mismatch(by_hand(), right()), "");
}

TEST(FloorplanMismatch, rejects_a_cell_too_few) {
  result found = right();
  found.cells.pop_back();

  EXPECT_EQ(mismatch(by_hand(), found), "the plan has 1 cells, expected 2");
}

TEST(FloorplanMismatch, rejects_each_fault_of_a_cell) {
  const std::vector<std::pair<rectangle, std::string>> faults{
      {rectangle_at(3, 0, {2, 1}), "cell 1 has none of its shapes"},
      {rectangle_at(63, 0, {2, 2}), "cell 1 reaches beyond the board"},
      {rectangle_at(2, 1, {2, 2}), "cell 1 overlaps cell 0"},
      {rectangle_at(4, 0, {2, 2}), "cell 1 does not touch"},
      {rectangle_at(3, 2, {2, 2}), "cell 1 does not touch"}};
  for (const auto& [where, message] : faults) {
    result found = right();
    found.cells[1] = where;

    EXPECT_THAT(mismatch(by_hand(), found), HasSubstr(message));
  }
}

TEST(FloorplanMismatch, rejects_a_first_cell_that_is_not_in_the_corner) {
  result found = right();
  found.cells[0].y = 1;

  EXPECT_THAT(mismatch(by_hand(), found), HasSubstr("cell 0 does not touch"));
}

TEST(FloorplanMismatch, rejects_an_area_that_is_not_the_plans) {
  result found = right();
  found.area = 9;

  EXPECT_EQ(mismatch(by_hand(), found), "the plan covers 10, claimed are 9");
}

TEST(FloorplanMismatch, rejects_a_plan_that_is_not_the_least) {
  result found = right();
  found.cells = {rectangle_at(0, 0, {2, 3}), rectangle_at(2, 0, {2, 2})};
  found.area = 12;

  EXPECT_EQ(mismatch(by_hand(), found), "the area is 12, expected 10");
}

TEST(FloorplanMismatch, rejects_a_search_that_visited_too_little) {
  result found = right();
  found.nodes = 1;

  EXPECT_THAT(mismatch(by_hand(), found), HasSubstr("there are 1 nodes"));
}

TEST(FloorplanMismatch, rejects_branches_left_out_without_a_limit) {
  EXPECT_THAT(mismatch(tiny(), run_serial(limited_to(100))), HasSubstr("without a task limit"));
}

TEST(FloorplanMismatch, rejects_more_nodes_than_the_limit_allows) {
  EXPECT_THAT(mismatch(limited_to(10), run_serial(limited_to(100))),
              HasSubstr("allowed are 10 tasks"));
}

}  // namespace floorplan_test
}  // namespace weft::lab::inncabs::floorplan
