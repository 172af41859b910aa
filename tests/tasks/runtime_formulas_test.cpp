// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A runtime's counters from numbers made up by hand, and the table that they are in.
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/worker_block.hpp"

#include "tasks/counters/runtime_counter_rows.hpp"
#include "tasks/counters/runtime_moment.hpp"

namespace runtime_formulas_test {

using testing::HasSubstr;
using weft::counters::counter_kind;
using weft::counters::counter_value;
using weft::counters::histogram_value;
using weft::counters::tick_histogram;
using weft::tasks::detail::counted_interval;
using weft::tasks::detail::process_moment;
using weft::tasks::detail::runtime_counter_row;
using weft::tasks::detail::runtime_counter_rows;
using weft::tasks::detail::runtime_moment;

const runtime_counter_row& row(std::string_view name) {
  for (const runtime_counter_row& each : runtime_counter_rows()) {
    if (each.name == name) {
      return each;
    }
  }
  throw std::logic_error("no counter " + std::string(name));
}

/// Two moments of a process whose ticks last 2 ns.
class RuntimeFormulas : public testing::Test {
 protected:
  RuntimeFormulas() {
    all_.seconds_per_tick = 2e-9;
    // Of 1,000 ticks executing, ten gaps of 10 ticks lay between tasks.
    later_.counted.counts.tasks_executed = 15;
    later_.counted.counts.loop_runs = 12;
    later_.counted.counts.ticks_executing = 1500;
    later_.counted.counts.ticks_searching = 500;
    later_.counted.counts.ticks_stealing = 200;
    later_.counted.counts.ticks_parked = 1300;
    later_.counted.samples.num_gaps = 3;
    later_.counted.samples.gap_ticks = 30;
    earlier_.counted.counts.tasks_executed = 5;
    earlier_.counted.counts.loop_runs = 2;
    earlier_.counted.counts.ticks_executing = 500;
    earlier_.counted.counts.ticks_parked = 1000;
    earlier_.counted.samples.num_gaps = 1;
    earlier_.counted.samples.gap_ticks = 10;
  }

  counter_value value(std::string_view name) const {
    return row(name).value({.process = all_, .now = later_, .since = &earlier_});
  }
  double number(std::string_view name) const {
    const counter_value read = value(name);
    if (!read.value) {
      throw std::logic_error(std::string(name) + ": " + read.reason);
    }
    const auto* whole = std::get_if<std::int64_t>(&*read.value);
    return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(*read.value);
  }

  process_moment all_;
  runtime_moment earlier_;
  runtime_moment later_;
};

TEST_F(RuntimeFormulas, counts_are_differences) {
  EXPECT_EQ(number("/threads/count/cumulative"), 10);
  EXPECT_EQ(number("/threads/count/loop-runs"), 10);
}

TEST_F(RuntimeFormulas, without_an_earlier_moment_all_counts) {
  const counter_value whole =
      row("/threads/count/cumulative").value({.process = all_, .now = later_, .since = nullptr});

  EXPECT_EQ(std::get<std::int64_t>(*whole.value), 15);
}

TEST_F(RuntimeFormulas, a_phase_begins_with_a_task_or_a_resume) {
  later_.counted.counts.resumes = 4;
  earlier_.counted.counts.resumes = 1;

  EXPECT_EQ(number("/threads/count/cumulative-phases"), 13);
}

TEST_F(RuntimeFormulas, times_are_in_nanoseconds) {
  EXPECT_EQ(number("/threads/time/searching"), 1000);
  EXPECT_EQ(number("/threads/time/stealing"), 400);
  EXPECT_EQ(number("/threads/time/parked"), 600);
  EXPECT_EQ(number("/threads/time/overall"), 4000);
}

TEST_F(RuntimeFormulas, executing_and_scheduling_share_the_time_between_searches) {
  EXPECT_EQ(number("/threads/time/executing") + number("/threads/time/scheduling"), 2000);
  EXPECT_EQ(number("/threads/time/scheduling"), 10 * 10 * 2);
  EXPECT_EQ(number("/threads/time/cumulative"), 1800);
}

TEST_F(RuntimeFormulas, overhead_is_all_but_the_bodies) {
  EXPECT_EQ(number("/threads/time/cumulative-overhead"), 2200);
  EXPECT_EQ(number("/threads/time/cumulative-overheads"), 2200);
  EXPECT_EQ(number("/threads/time/average"), 180);
  EXPECT_EQ(number("/threads/time/average-overhead"), 220);
  EXPECT_EQ(number("/threads/idle-rate"), 5500) << "in 0.01 %";
}

TEST_F(RuntimeFormulas, per_phase_divides_by_more) {
  later_.counted.counts.resumes = 10;
  later_.counted.counts.loop_runs = 2;  // as many gaps as before, then
  later_.counted.counts.ticks_executing += 1'000'000;
  later_.counted.counts.ticks_searching += 1'000'000;

  EXPECT_EQ(number("/threads/time/average-phase"), 100'090);
  EXPECT_EQ(number("/threads/time/average-phase-overhead"), 100'110);
}

TEST_F(RuntimeFormulas, forks_that_are_all_a_program_does_are_not_called_tasks) {
  later_.counted.counts.tasks_executed += 1'000'000;

  for (const char* name : {"/threads/time/executing",
                           "/threads/time/scheduling",
                           "/threads/time/average",
                           "/threads/time/average-overhead",
                           "/threads/idle-rate"}) {
    EXPECT_EQ(value(name).value, std::nullopt) << name;
    EXPECT_THAT(value(name).reason, HasSubstr("so short that samples cannot tell")) << name;
  }
  EXPECT_EQ(number("/threads/time/overall"), 4000);
}

TEST_F(RuntimeFormulas, an_overhead_per_task_is_known_to_a_half_or_not_told) {
  later_.counted.counts.ticks_searching = 0;
  later_.counted.counts.ticks_stealing = 0;
  later_.counted.counts.ticks_parked = earlier_.counted.counts.ticks_parked;

  // Of 100 ticks in ten gaps, the stamps around gaps may be up to nine tenths.
  EXPECT_EQ(number("/threads/time/cumulative-overhead"), 200);
  EXPECT_EQ(value("/threads/time/average-overhead").value, std::nullopt);
  EXPECT_THAT(value("/threads/time/average-overhead").reason, HasSubstr("below 38 ns per task"));
}

TEST_F(RuntimeFormulas, nothing_timed_gives_no_value_and_says_so) {
  later_.counted.samples = earlier_.counted.samples;

  for (const char* name :
       {"/threads/time/executing", "/threads/time/average", "/threads/idle-rate"}) {
    EXPECT_EQ(value(name).value, std::nullopt) << name;
    EXPECT_THAT(value(name).reason, HasSubstr("--weft:timing=sampled")) << name;
  }
  EXPECT_EQ(number("/threads/time/overall"), 4000) << "is known all the same";
}

TEST_F(RuntimeFormulas, averages_of_no_task_have_no_value) {
  later_.counted.counts.tasks_executed = 5;

  EXPECT_EQ(value("/threads/time/average").value, std::nullopt);
  EXPECT_EQ(value("/threads/time/average").reason, "there was no task");
}

TEST_F(RuntimeFormulas, an_idle_rate_needs_time) {
  later_ = earlier_;

  EXPECT_EQ(value("/threads/idle-rate").value, std::nullopt);
}

TEST_F(RuntimeFormulas, misses_are_what_came_from_elsewhere) {
  later_.counted.counts.injected = 3;
  later_.counted.counts.steals_won = 4;

  EXPECT_EQ(number("/threads/count/pending-accesses"), 10);
  EXPECT_EQ(number("/threads/count/pending-misses"), 7);
  EXPECT_EQ(number("/threads/count/stolen-from-pending"), 4);
  EXPECT_EQ(number("/threads/count/stolen-to-pending"), 4);
}

TEST_F(RuntimeFormulas, a_stack_is_recycled_unless_it_was_made) {
  later_.counted.counts.stacks_acquired = 10;
  later_.present.num_stacks_made = 5;
  earlier_.present.num_stacks_made = 2;

  EXPECT_EQ(number("/threads/count/stack-recycles"), 7);
}

TEST_F(RuntimeFormulas, what_is_there_now_does_not_count_from_a_reset) {
  later_.counted.counts.suspensions = 8;
  later_.counted.counts.resumes = 5;
  earlier_.counted.counts.suspensions = 6;
  later_.present = {.num_workers = 4,
                    .num_in_tasks = 3,
                    .num_in_deques = 7,
                    .num_from_outside = 2,
                    .num_stacks = 9,
                    .most_stacks = 11};

  EXPECT_EQ(number("/threads/count/instantaneous/suspended"), 3);
  EXPECT_EQ(number("/threads/count/instantaneous/active"), 3);
  EXPECT_EQ(number("/threads/count/instantaneous/pending"), 7);
  EXPECT_EQ(number("/threads/count/instantaneous/staged"), 2);
  EXPECT_EQ(number("/threads/count/instantaneous/all"), 15);
  EXPECT_EQ(number("/threads/count/instantaneous/terminated"), 0);
  EXPECT_EQ(number("/threadqueue/length"), 9);
  EXPECT_EQ(number("/scheduler/utilization/instantaneous"), 75);
  EXPECT_EQ(number("/threads/stacks/live"), 9);
  EXPECT_EQ(number("/threads/stacks/high-water"), 11);
}

TEST_F(RuntimeFormulas, more_resumes_than_suspensions_were_read_at_different_moments) {
  later_.counted.counts.suspensions = 4;
  later_.counted.counts.resumes = 5;

  EXPECT_EQ(number("/threads/count/instantaneous/suspended"), 0);
}

TEST_F(RuntimeFormulas, the_time_of_a_runtime_that_never_was_is_unknown) {
  EXPECT_EQ(value("/runtime/uptime").value, std::nullopt);

  all_.uptime = std::chrono::milliseconds(1500);

  EXPECT_EQ(number("/runtime/uptime"), 1.5);
}

TEST_F(RuntimeFormulas, histograms_begin_and_end_where_something_is) {
  using ticks = tick_histogram<std::uint64_t>;
  later_.counted.histograms.task_duration.weight[10] = 3;
  later_.counted.histograms.task_duration.weight[12] = 5;
  earlier_.counted.histograms.task_duration.weight[12] = 4;
  later_.counted.histograms.task_duration.weight[20] = 1;
  earlier_.counted.histograms.task_duration.weight[20] = 1;

  const counter_value read = value("/threads/histogram/task-duration");

  const auto& recorded = std::get<histogram_value>(*read.value);
  ASSERT_EQ(recorded.buckets.size(), 3u);
  EXPECT_EQ(recorded.buckets[0].weight, 3);
  EXPECT_EQ(recorded.buckets[1].weight, 0);
  EXPECT_EQ(recorded.buckets[2].weight, 1);
  EXPECT_EQ(recorded.buckets[2].upper, 2.0 * static_cast<double>(ticks::lower(13)));
  EXPECT_GT(recorded.sum, 3.0 * 2 * static_cast<double>(ticks::lower(10)));
  EXPECT_LT(recorded.sum, 4.0 * 2 * static_cast<double>(ticks::lower(13)));
}

TEST_F(RuntimeFormulas, a_histogram_of_nothing_is_empty) {
  const counter_value read = value("/threads/histogram/park-latency");

  EXPECT_EQ(std::get<histogram_value>(*read.value), histogram_value{});
}

TEST_F(RuntimeFormulas, a_queue_delay_is_the_mean_of_its_histogram) {
  using ticks = tick_histogram<std::uint64_t>;
  later_.counted.histograms.queue_delay.weight[30] = 2;

  EXPECT_DOUBLE_EQ(number("/threads/wait-time/pending"),
                   static_cast<double>(ticks::lower(30) + ticks::lower(31) - 1));
}

TEST(RuntimeCounterRows, each_has_a_name_of_its_own_that_is_one) {
  std::set<std::string_view> names;
  for (const runtime_counter_row& each : runtime_counter_rows()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_EQ(type_name(weft::counters::parse_counter_name(each.name)), each.name);
  }
}

TEST(RuntimeCounterRows, help_is_sentences) {
  for (const runtime_counter_row& each : runtime_counter_rows()) {
    EXPECT_TRUE(each.help.ends_with('.')) << each.name;
    EXPECT_EQ(each.help.find('\n'), each.help.npos) << each.name;
  }
}

TEST(RuntimeCounterRows, times_have_units) {
  for (const runtime_counter_row& each : runtime_counter_rows()) {
    const bool is_time = each.name.starts_with("/threads/time/") ||
                         each.name.starts_with("/threads/wait-time/") ||
                         each.kind == counter_kind::histogram;
    EXPECT_EQ(each.unit == "ns", is_time) << each.name;
  }
}

}  // namespace runtime_formulas_test
