// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about what is made of two moments of a process.
#include "top/view.hpp"

#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/counters/segment_format.hpp"
#include "weft/counters/worker_block.hpp"

#include "top/process_state.hpp"

namespace view_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using weft::counters::worker_state;
using weft::top::history;
using weft::top::process_state;
using weft::top::process_status;
using weft::top::view;
using weft::top::worker_state_now;

constexpr std::uint64_t ticks_per_s = 1000;

std::string no_symbol(std::uint64_t address) { return std::to_string(address); }

/// A process with two workers, `seconds` after its start.
process_state at(double seconds) {
  process_state state;
  state.seconds_per_tick = 1.0 / ticks_per_s;
  state.last_sign_ticks = static_cast<std::uint64_t>(seconds * ticks_per_s);
  state.process.is_alive = true;
  state.process.state = 'S';
  for (std::uint32_t i = 0; i < 2; ++i) {
    worker_state_now worker;
    worker.owner = weft::counters::block_owner::present;
    worker.worker = i;
    worker.state = worker_state::parked;
    worker.reading.counts.ticks_parked = state.last_sign_ticks;
    state.workers.push_back(worker);
  }
  return state;
}

TEST(View, rates_are_those_of_the_last_second) {
  history looks;
  for (const double s : {1.0, 2.0, 2.5, 3.0, 3.5}) {
    process_state state = at(s);
    state.workers[0].reading.counts.tasks_executed = static_cast<std::uint64_t>(100 * s);
    looks.add(state);
  }

  const view shown = looks.show(no_symbol);

  EXPECT_EQ(shown.interval_s, 1);
  EXPECT_EQ(shown.done.counts.tasks_executed, 100u);
  EXPECT_EQ(shown.total.counts.tasks_executed, 350u);
  EXPECT_DOUBLE_EQ(shown.done.time.parked_s, 2);
}

TEST(View, clocks_that_stand_still_do_not_keep_every_look) {
  history looks;
  for (std::uint64_t i = 0; i <= 1000; ++i) {
    process_state state = at(1);
    state.workers[0].reading.counts.tasks_executed = i;
    looks.add(state);
  }

  EXPECT_LE(looks.show(no_symbol).done.counts.tasks_executed, 256u);
}

TEST(View, of_a_process_that_is_gone_is_about_all_its_time) {
  history looks;
  looks.add(at(1));
  process_state gone = at(3);
  gone.status = process_status::killed;
  looks.add(gone);

  EXPECT_TRUE(looks.show(no_symbol).is_since_start);
  EXPECT_EQ(looks.show(no_symbol).interval_s, 3);
}

TEST(View, a_worker_that_joins_counts_from_its_start) {
  history looks;
  process_state alone = at(1);
  alone.workers.pop_back();
  looks.add(alone);
  process_state both = at(2);
  both.workers[1].reading.counts = {};
  both.workers[1].reading.counts.tasks_executed = 5;
  looks.add(both);

  EXPECT_EQ(looks.show(no_symbol).workers[1].done.counts.tasks_executed, 5u);
}

TEST(View, a_deadlock_is_called_stalled) {
  history looks;
  process_state state = at(3);
  state.workers[0].reading.counts.suspensions = 2;
  looks.add(state);

  const view shown = looks.show(no_symbol);

  ASSERT_THAT(shown.flags, SizeIs(1));
  EXPECT_EQ(shown.flags[0].name, "STALLED");
  EXPECT_THAT(shown.flags[0].reason, HasSubstr("for 3 s all 2 workers sleep while 2 tasks wait"));
}

TEST(View, sleep_without_waiting_tasks_is_no_stall) {
  history looks;
  looks.add(at(3));

  EXPECT_THAT(looks.show(no_symbol).flags, IsEmpty());
}

TEST(View, queued_tasks_that_nobody_runs_are_called_stalled) {
  history looks;
  for (const double s : {1.0, 1.5, 2.5}) {
    process_state state = at(s);
    state.workers[1].queue_length = 3;
    state.workers[1].state = worker_state::searching;
    looks.add(state);
  }

  const view shown = looks.show(no_symbol);

  ASSERT_THAT(shown.flags, SizeIs(1));
  EXPECT_THAT(shown.flags[0].reason, HasSubstr("for 1 s nobody has executed any of 3 queued"));
}

TEST(View, queued_tasks_that_somebody_runs_are_not) {
  history looks;
  for (const double s : {1.0, 1.5, 2.5}) {
    process_state state = at(s);
    state.workers[1].queue_length = 3;
    state.workers[0].reading.counts.tasks_executed = static_cast<std::uint64_t>(10 * s);
    looks.add(state);
  }

  EXPECT_THAT(looks.show(no_symbol).flags, IsEmpty());
}

TEST(View, a_worker_in_one_task_for_ten_seconds_is_called_long) {
  history looks;
  for (int s = 0; s <= 12; ++s) {
    process_state state = at(s);
    state.workers[0].state = worker_state::executing;
    state.workers[0].current_label = 77;
    looks.add(state);
  }

  const view shown = looks.show(no_symbol);

  ASSERT_THAT(shown.flags, SizeIs(1));
  EXPECT_EQ(shown.flags[0].name, "LONG");
  EXPECT_THAT(shown.flags[0].reason, HasSubstr("worker 0 of pool 0"));
  EXPECT_THAT(shown.flags[0].reason, HasSubstr("77"));
}

TEST(View, labels_are_summed_by_name_and_sorted_by_time) {
  history looks;
  process_state state = at(1);
  state.workers[0].labels = {{.address = 1, .num = 1, .ticks = 100},
                             {.address = 2, .num = 2, .ticks = 750}};
  state.workers[1].labels = {{.address = 1, .num = 3, .ticks = 300},
                             {.address = 3, .num = 1, .ticks = 100}};
  looks.add(state);

  const view shown = looks.show([](std::uint64_t address) { return address == 2 ? "b" : "a"; });

  ASSERT_THAT(shown.labels, SizeIs(2));
  EXPECT_EQ(shown.labels[0].name, "b");
  EXPECT_DOUBLE_EQ(shown.labels[0].share, 0.6);
  EXPECT_DOUBLE_EQ(shown.labels[0].num + shown.labels[1].num, 7);
}

TEST(Quantile, lies_in_the_range_that_holds_it) {
  weft::counters::tick_histogram<std::uint64_t> histogram{};
  histogram.weight[weft::counters::tick_histogram<std::uint64_t>::bucket_of(100)] = 98;
  histogram.weight[weft::counters::tick_histogram<std::uint64_t>::bucket_of(5000)] = 2;

  EXPECT_NEAR(weft::top::quantile(histogram, 0.5).value_or(0), 100, 16);
  EXPECT_NEAR(weft::top::quantile(histogram, 0.99).value_or(0), 5000, 1000);
}

TEST(Quantile, of_nothing_is_nothing) { EXPECT_FALSE(weft::top::quantile({}, 0.5).has_value()); }

}  // namespace view_test
