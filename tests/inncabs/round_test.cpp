// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem round: its courses, its bodies, and all that its checker looks at.
#include "lab/inncabs/round/round.hpp"

#include <chrono>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/round/dining_table.hpp"
#include "lab/inncabs/round/round_futures.hpp"
#include "lab/inncabs/round/round_groups.hpp"
#include "tests/inncabs/inline_runtime.hpp"

namespace weft::lab::inncabs::round {
namespace round_test {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::inline_runtime;

/// Two philosophers: both forks are shared.
input small_table() {
  return {.courses = {{milliseconds(1), milliseconds(1)}, {milliseconds(2)}},
          .full_after = milliseconds(2)};
}

TEST(Round, everybody_is_served_as_much) {
  for (const input_class which : input_classes) {
    const input of = make_input(which, 7);
    for (const auto& courses : of.courses) {
      EXPECT_EQ(std::accumulate(courses.begin(), courses.end(), milliseconds(0)), of.full_after);
      EXPECT_GT(courses.back(), milliseconds(0));
    }
  }
}

TEST(Round, the_courses_depend_on_the_seed_alone) {
  EXPECT_EQ(make_input(input_class::paper, 7).courses, make_input(input_class::paper, 7).courses);
  EXPECT_NE(make_input(input_class::paper, 7).courses, make_input(input_class::paper, 8).courses);
}

TEST(Round, bodies_and_calls_serve_everybody) {
  const input of = small_table();

  EXPECT_EQ(mismatch(of, run_serial(of)), "");
  EXPECT_EQ(mismatch(of, run_futures<inline_runtime>(of, inline_runtime::launch::at_once)), "");
  EXPECT_EQ(mismatch(of, run_groups<inline_runtime>(of)), "");
}

TEST(Round, neighbours_bound_the_duration_from_below) {
  const input paper = make_input(input_class::paper, 7);

  EXPECT_EQ(least_duration(paper, 1), milliseconds(5120));
  EXPECT_EQ(least_duration(paper, 2), milliseconds(2560));
  EXPECT_EQ(least_duration(paper, 1000), milliseconds(20));
  EXPECT_EQ(least_duration(small_table(), 2), milliseconds(4));
}

TEST(Round, a_fork_that_two_take_is_a_conflict) {
  fork_watch watch;
  watch.take();
  watch.put_down();
  watch.take();
  EXPECT_EQ(watch.num_conflicts(), 0U);

  watch.take();

  EXPECT_EQ(watch.num_conflicts(), 1U);
  EXPECT_EQ(watch.num_uses(), 3U);
}

TEST(Round, the_check_says_what_is_wrong) {
  const input of = small_table();
  const result right = run_serial(of);
  ASSERT_EQ(mismatch(of, right), "");

  result found = right;
  ++found.meals[0].num_courses;
  EXPECT_THAT(mismatch(of, found), HasSubstr("philosopher 0 ate 3 courses, expected 2"));

  found = right;
  found.meals[1].eaten = milliseconds(1);
  EXPECT_THAT(mismatch(of, found), HasSubstr("philosopher 1 ate for 1000000 ns, expected at"));

  found = right;
  --found.fork_uses[0];
  EXPECT_THAT(mismatch(of, found), HasSubstr("fork 0 was used 2 times, expected 3"));

  found = right;
  found.num_conflicts = 2;
  EXPECT_THAT(mismatch(of, found), HasSubstr("2 times a fork was used by two at once"));

  found = right;
  found.duration = milliseconds(3);
  EXPECT_THAT(mismatch(of, found), HasSubstr("it cannot take less than 4000000 ns"));

  found = right;
  found.meals.pop_back();
  EXPECT_THAT(mismatch(of, found), HasSubstr("1 meals with 2 forks, expected 2 of each"));
}

}  // namespace round_test
}  // namespace weft::lab::inncabs::round
