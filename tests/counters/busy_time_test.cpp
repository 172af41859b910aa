// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about how busy time divides into tasks and what lies between them, from planted samples.
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "weft/counters/block_reading.hpp"
#include "weft/counters/worker_block.hpp"

namespace busy_time_test {

using weft::counters::block_reading;
using weft::counters::busy_time;
using weft::counters::split_busy_time;

constexpr double task_ticks = 60'000;

/// A worker that was busy so long with tasks that its loop took; no gap between two was sampled.
block_reading without_gaps(std::uint64_t busy_ticks, std::uint64_t num_tasks) {
  block_reading delta{};
  delta.counts.ticks_executing = busy_ticks;
  delta.counts.loop_runs = num_tasks;
  return delta;
}

/// Adds two samples that differ by 2 %.
void sample_tasks(block_reading& delta) {
  for (const double ticks : {0.99 * task_ticks, 1.01 * task_ticks}) {
    delta.samples.loop.num += 1;
    delta.samples.loop.weight += 1;
    delta.samples.loop.weight2 += 1;
    delta.samples.loop.ticks += ticks;
    delta.samples.loop.ticks_w2 += ticks;
    delta.samples.loop.ticks2_w2 += ticks * ticks;
  }
}

TEST(BusyTime, without_gaps_it_is_the_tasks) {
  const std::optional<busy_time> busy = split_busy_time(without_gaps(1'000, 0));

  ASSERT_TRUE(busy);
  EXPECT_EQ(busy->in_tasks_ticks, 1'000);
  EXPECT_EQ(busy->scheduling_ticks, 0);
}

TEST(BusyTime, few_gaps_take_little_whatever_their_length) {
  constexpr std::uint64_t busy_ticks = 1'000'000'000;

  const std::optional<busy_time> busy = split_busy_time(without_gaps(busy_ticks, 10));

  ASSERT_TRUE(busy);
  EXPECT_NEAR(busy->in_tasks_ticks, busy_ticks, 1e-4 * busy_ticks);
  EXPECT_LE(busy->scheduling_ticks - busy->half_width_ticks, 0);
}

TEST(BusyTime, where_no_gap_was_sampled_tasks_are_as_long_as_those_that_were) {
  constexpr std::uint64_t num_tasks = 1'000;
  constexpr double in_tasks_ticks = num_tasks * task_ticks;
  block_reading delta = without_gaps(90'000'000, num_tasks);
  delta.counts.resumes = 10'000;  // so that there are many gaps
  EXPECT_FALSE(split_busy_time(delta)) << "nothing is known of them";

  sample_tasks(delta);
  const std::optional<busy_time> busy = split_busy_time(delta);

  ASSERT_TRUE(busy);
  EXPECT_DOUBLE_EQ(busy->in_tasks_ticks, in_tasks_ticks);
  EXPECT_DOUBLE_EQ(busy->scheduling_ticks, 90'000'000 - in_tasks_ticks);
  EXPECT_GT(busy->half_width_ticks, 0.01 * in_tasks_ticks);
  EXPECT_EQ(busy->num_samples, 2);
}

TEST(BusyTime, tasks_never_take_more_than_all_of_it) {
  constexpr std::uint64_t num_tasks = 10'000;
  block_reading delta = without_gaps(num_tasks * 5'000, num_tasks);
  sample_tasks(delta);

  const std::optional<busy_time> busy = split_busy_time(delta);

  ASSERT_TRUE(busy);
  EXPECT_EQ(busy->in_tasks_ticks, num_tasks * 5'000.0);
  EXPECT_EQ(busy->scheduling_ticks, 0);
  EXPECT_LE(busy->half_width_ticks, num_tasks * 5'000.0);
}

TEST(BusyTime, one_sample_says_nothing_of_the_others) {
  block_reading delta = without_gaps(50'000'000, 10'000);
  delta.samples.loop = {.num = 1,
                        .weight = 1,
                        .ticks = task_ticks,
                        .weight2 = 1,
                        .ticks_w2 = task_ticks,
                        .ticks2_w2 = task_ticks * task_ticks};

  EXPECT_FALSE(split_busy_time(delta));
}

}  // namespace busy_time_test
