// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the length of a tick.
#include "weft/counters/tick_clock.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace tick_clock_test {

using std::chrono::duration;
using std::chrono::steady_clock;
using weft::counters::seconds_per_tick;
using weft::counters::tick_length;
using weft::counters::tick_length_so_far;
using weft::counters::tick_moment;
using weft::counters::tick_moment_now;

TEST(TickClock, ticks_between_moments_give_their_length) {
  const tick_moment earlier{.ticks = 1000, .time = steady_clock::time_point()};
  const tick_moment later{.ticks = 5000,
                          .time = steady_clock::time_point() + std::chrono::seconds(2)};

  EXPECT_DOUBLE_EQ(seconds_per_tick(earlier, later), 2.0 / 4000);
}

TEST(TickClock, a_duration_in_ticks_is_that_of_the_steady_clock) {
  const tick_moment before = tick_moment_now();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const tick_moment after = tick_moment_now();

  const double by_ticks_s = static_cast<double>(after.ticks - before.ticks) * seconds_per_tick();
  const double by_time_s = duration<double>(after.time - before.time).count();

  EXPECT_NEAR(by_ticks_s / by_time_s, 1.0, 1e-3);
}

TEST(TickClock, the_length_of_a_tick_hardly_changes) {
  const double first = seconds_per_tick();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));

  EXPECT_NEAR(seconds_per_tick() / first, 1.0, 1e-3);
}

TEST(TickClock, the_length_of_a_tick_is_soon_known) {
  const tick_length found = tick_length_so_far();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));

  EXPECT_NEAR(found.seconds / seconds_per_tick(), 1.0, 0.01);
  EXPECT_TRUE(tick_length_so_far().is_exact);
}

TEST(TickClock, both_readings_of_a_moment_are_close) {
  const steady_clock::time_point before = steady_clock::now();
  const tick_moment moment = tick_moment_now();
  const steady_clock::time_point after = steady_clock::now();

  EXPECT_LE(before, moment.time);
  EXPECT_LE(moment.time, after);
}

}  // namespace tick_clock_test
