// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about means that are estimated from samples, and how far they may be off.
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include "weft/counters/block_reading.hpp"
#include "weft/counters/tick_clock.hpp"
#include "weft/counters/worker_block.hpp"

namespace mean_duration_test {

using weft::counters::block_reading;
using weft::counters::duration_sums;
using weft::counters::estimate;
using weft::counters::mean_duration;
using weft::counters::mean_task_duration;

struct sample {
  double ticks;
  double weight;
};

duration_sums<double> sums_of(std::initializer_list<sample> samples) {
  duration_sums<double> sums;
  for (const sample& s : samples) {
    const double weight2 = s.weight * s.weight;
    sums.num += 1;
    sums.weight += s.weight;
    sums.ticks += s.weight * s.ticks;
    sums.weight2 += weight2;
    sums.ticks_w2 += weight2 * s.ticks;
    sums.ticks2_w2 += weight2 * s.ticks * s.ticks;
  }
  return sums;
}

/// In seconds, with and without what is not known about timing itself.
double without_timing(double half_width_ticks) {
  constexpr double timing_s = 3e-9;
  const double half_width_s = half_width_ticks * weft::counters::seconds_per_tick();
  return std::sqrt(half_width_s * half_width_s - timing_s * timing_s);
}

double in_seconds(double ticks) { return ticks * weft::counters::seconds_per_tick(); }

TEST(MeanDurationTest, no_samples_have_no_mean) { EXPECT_EQ(mean_duration({}), std::nullopt); }

TEST(MeanDurationTest, samples_count_as_often_as_tasks_they_stand_for) {
  const std::optional<estimate> found = mean_duration(sums_of({{1000, 3}, {5000, 1}}));

  ASSERT_TRUE(found.has_value());
  EXPECT_DOUBLE_EQ(found->mean, 2000);
  EXPECT_DOUBLE_EQ(found->num_samples, 2);
  EXPECT_DOUBLE_EQ(found->one_in, 2);
}

TEST(MeanDurationTest, one_sample_says_nothing_about_the_spread) {
  const std::optional<estimate> found = mean_duration(sums_of({{1000, 8}}));

  ASSERT_TRUE(found.has_value());
  EXPECT_DOUBLE_EQ(found->mean, 1000);
  EXPECT_TRUE(std::isinf(found->half_width));
}

TEST(MeanDurationTest, numbers_of_samples_that_no_program_has_do_no_harm) {
  duration_sums<double> sums = sums_of({{.ticks = 10, .weight = 1}, {.ticks = 20, .weight = 1}});
  for (const double num : {5e199, std::numeric_limits<double>::quiet_NaN()}) {
    sums.num = num;

    const std::optional<estimate> mean = mean_duration(sums);

    ASSERT_TRUE(mean.has_value());
    EXPECT_EQ(mean->mean, 15);
  }
}

// The mean of 2, 4, 4, 4, 5, 5, 7 and 9 is 5, the sum of squares around it 32: the standard error
// is sqrt(32 / 7 / 8), Student's factor for 7 degrees of freedom 2.365.
TEST(MeanDurationTest, the_interval_is_students_and_that_of_timing) {
  const double unit = 1e5;
  const std::optional<estimate> found = mean_duration(sums_of({{2 * unit, 1},
                                                               {4 * unit, 1},
                                                               {4 * unit, 1},
                                                               {4 * unit, 1},
                                                               {5 * unit, 1},
                                                               {5 * unit, 1},
                                                               {7 * unit, 1},
                                                               {9 * unit, 1}}));

  ASSERT_TRUE(found.has_value());
  const double expected_s = in_seconds(2.365 * std::sqrt(32.0 / 7 / 8) * unit);
  EXPECT_NEAR(without_timing(found->half_width), expected_s, 0.004 * expected_s);
}

TEST(MeanDurationTest, two_samples_leave_a_wide_interval) {
  const std::optional<estimate> found = mean_duration(sums_of({{1e6, 1}, {3e6, 1}}));

  ASSERT_TRUE(found.has_value());
  const double expected_s = in_seconds(12.706 * 1e6);
  EXPECT_NEAR(without_timing(found->half_width), expected_s, 0.004 * expected_s);
}

TEST(MeanDurationTest, equal_samples_are_as_uncertain_as_timing_is) {
  const std::optional<estimate> found = mean_duration(sums_of({{500, 1}, {500, 1}, {500, 1}}));

  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(in_seconds(found->half_width), 3e-9, 1e-11);
}

// What is known of the length of a tick changes in the meantime.
constexpr double tolerance_s = 1e-10;

/// Tasks that a loop took, each timed as `timed_s` long, and from one that was not timed to the
/// next `cycle_s`.
block_reading looped(double timed_s, double cycle_s, double num_untimed) {
  const double ticks = timed_s / weft::counters::seconds_per_tick();
  block_reading delta{};
  delta.samples.task = sums_of({{ticks, 1000}, {ticks, 1000}, {ticks, 1000}});
  delta.samples.loop = delta.samples.task;
  delta.samples.window_tasks = num_untimed;
  delta.samples.window_gaps = num_untimed + 1;
  delta.samples.window_ticks = num_untimed * cycle_s / weft::counters::seconds_per_tick();
  return delta;
}

TEST(MeanTaskDuration, tasks_are_not_longer_than_from_one_to_the_next) {
  const std::optional<estimate> found = mean_task_duration(looped(32e-9, 27e-9, 1000));

  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(in_seconds(found->mean), 26e-9, tolerance_s)
      << "a nanosecond at least is between two";
  EXPECT_NEAR(in_seconds(found->half_width), 3e-9, tolerance_s);
}

TEST(MeanTaskDuration, what_is_shorter_than_that_stays) {
  const std::optional<estimate> found = mean_task_duration(looped(25e-9, 27e-9, 1000));

  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(in_seconds(found->mean), 25e-9, tolerance_s);
}

TEST(MeanTaskDuration, what_is_much_longer_was_no_matter_of_timing) {
  const std::optional<estimate> found = mean_task_duration(looped(500e-9, 27e-9, 1000));

  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(in_seconds(found->mean), 500e-9, tolerance_s);
}

TEST(MeanTaskDuration, a_few_that_were_not_timed_say_nothing) {
  const std::optional<estimate> found = mean_task_duration(looped(32e-9, 27e-9, 99));

  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(in_seconds(found->mean), 32e-9, tolerance_s);
}

TEST(MeanTaskDuration, what_was_called_by_others_is_not_bounded) {
  block_reading delta = looped(32e-9, 27e-9, 1000);
  const double ticks = 100e-9 / weft::counters::seconds_per_tick();
  delta.samples.task =
      sums_of({{0.32 * ticks, 1000}, {0.32 * ticks, 1000}, {0.32 * ticks, 1000}, {ticks, 3000}});

  const std::optional<estimate> found = mean_task_duration(delta);

  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(in_seconds(found->mean), (26e-9 + 100e-9) / 2, tolerance_s);
}

TEST(MeanTaskDuration, one_sample_that_is_too_long_leaves_everything_open) {
  block_reading delta = looped(32e-9, 27e-9, 1000);
  delta.samples.task = sums_of({{32e-9 / weft::counters::seconds_per_tick(), 1000}});
  delta.samples.loop = delta.samples.task;

  const std::optional<estimate> found = mean_task_duration(delta);

  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(std::isinf(found->half_width));
}

}  // namespace mean_duration_test
