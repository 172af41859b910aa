// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about how busy time divides into tasks and what lies between them, from planted samples.
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "weft/counters/block_reading.hpp"
#include "weft/counters/tick_clock.hpp"
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

/// A worker whose loop took one task, in which all others were forked and called.
block_reading of_forks(double seconds, std::uint64_t num_forks) {
  block_reading delta =
      without_gaps(static_cast<std::uint64_t>(seconds / weft::counters::seconds_per_tick()), 1);
  delta.counts.tasks_executed = 1 + num_forks;
  return delta;
}

TEST(BusyTime, what_forks_may_have_cost_is_in_the_interval) {
  constexpr double fork_s = 3e-9;
  constexpr double body_s = 1e-6;
  constexpr std::uint64_t num_forks = 1'000'000;
  constexpr double bodies_s = num_forks * body_s;

  const std::optional<busy_time> busy =
      split_busy_time(of_forks(bodies_s + num_forks * fork_s, num_forks));

  ASSERT_TRUE(busy);
  const double in_tasks_s = busy->in_tasks_ticks * weft::counters::seconds_per_tick();
  const double half_width_s = busy->half_width_ticks * weft::counters::seconds_per_tick();
  EXPECT_LE(in_tasks_s - half_width_s, bodies_s);
  EXPECT_GE(in_tasks_s + half_width_s, bodies_s);
  EXPECT_LT(half_width_s, 0.05 * bodies_s) << "and says something";
}

TEST(BusyTime, where_forks_are_all_nothing_is_known) {
  const block_reading delta = of_forks(3e-3, 1'000'000);

  const std::optional<busy_time> busy = split_busy_time(delta);

  ASSERT_TRUE(busy);
  EXPECT_EQ(busy->half_width_ticks, static_cast<double>(delta.counts.ticks_executing));
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
