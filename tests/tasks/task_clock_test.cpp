// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timed tasks: who is timed, what the times add up to, and where the time of workers went.
#include "weft/tasks/detail/counters/task_clock.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/counters/block_reading.hpp"
#include "weft/counters/block_registry.hpp"
#include "weft/counters/tick_clock.hpp"
#include "weft/counters/worker_block.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/task_group.hpp"
#include "weft/tasks/timing_mode.hpp"

namespace task_clock_test {

using weft::runtime;
using weft::runtime_options;
using weft::task_group;
using weft::timing_mode;
using weft::counters::block_reading;
using weft::counters::process_blocks;
using weft::counters::read_block;
using weft::counters::worker_block;
using weft::tasks::detail::make_native_stack;
using weft::tasks::detail::run_kind;
using weft::tasks::detail::stack;
using weft::tasks::detail::task_clock;
using weft::tasks::detail::timed_task;

runtime_options timed_by(timing_mode timing, int num_workers) {
  runtime_options options;
  options.workers = num_workers;
  options.timing = timing;
  return options;
}

void spin_for(std::chrono::nanoseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// A worker's clock without a worker.
struct lone_clock {
  explicit lone_clock(timing_mode mode) : clock(*block, mode, 1) {}
  ~lone_clock() { clock.finish(); }

  std::unique_ptr<worker_block> block = std::make_unique<worker_block>();
  task_clock clock;
  stack here = make_native_stack();
};

/// Runs `body` as a task that is counted, and timed if it is its turn.
template <class Body>
void count_and_run(lone_clock& lone, run_kind kind, Body body) {
  if (!lone.clock.count()) {
    body();
    return;
  }
  timed_task timing{.kind = kind};
  lone.clock.begin(timing, lone.here);
  body();
  lone.clock.end(timing, lone.here);
}

TEST(TaskClock, counts_exactly_in_every_mode) {
  for (const timing_mode mode : {timing_mode::counts, timing_mode::sampled, timing_mode::exact}) {
    lone_clock lone(mode);

    for (std::uint64_t i = 0; i < 10'000; ++i) {
      ASSERT_EQ(read_block(*lone.block).counts.tasks_executed, i);
      count_and_run(lone, run_kind::called, [] {});
    }

    lone.clock.uncount();
    EXPECT_EQ(read_block(*lone.block).counts.tasks_executed, 9'999U);
  }
}

TEST(TaskClock, times_none_some_or_all) {
  lone_clock none(timing_mode::counts);
  lone_clock some(timing_mode::sampled);
  lone_clock all(timing_mode::exact);

  for (lone_clock* lone : {&none, &some, &all}) {
    for (int i = 0; i < 10'000; ++i) {
      count_and_run(*lone, run_kind::called, [] {});
    }
  }

  EXPECT_EQ(read_block(*none.block).samples.task.num, 0);
  const double num_sampled = read_block(*some.block).samples.task.num;
  EXPECT_GT(num_sampled, 0);
  EXPECT_LT(num_sampled, 5'000);
  const auto exact = read_block(*all.block).samples;
  EXPECT_EQ(exact.task.num + exact.disturbed, 10'000);
}

TEST(TaskClock, what_was_drawn_stands_for_all) {
  lone_clock lone(timing_mode::sampled);
  constexpr int num_tasks = 200'000;

  for (int i = 0; i < num_tasks; ++i) {
    count_and_run(lone, run_kind::called, [] {});
  }

  const auto sums = read_block(*lone.block).samples;
  const double stands_for = sums.task.weight;
  // Each draw is uniform around its weight, so the sum strays by about weight * sqrt(n / 3).
  const double error = std::sqrt(sums.task.weight2 / 3);
  EXPECT_NEAR(stands_for, num_tasks, 6 * error);
}

TEST(TaskClock, a_task_is_not_charged_for_the_tasks_it_calls) {
  using namespace std::chrono_literals;
  lone_clock lone(timing_mode::exact);

  count_and_run(lone, run_kind::called, [&] {
    for (int i = 0; i < 3; ++i) {
      count_and_run(lone, run_kind::called, [] { spin_for(2ms); });
    }
  });

  const auto reading = read_block(*lone.block);
  const auto& durations = reading.histograms.task_duration.weight;
  const auto limit = static_cast<std::uint64_t>(1e-3 / weft::counters::seconds_per_tick());
  using histogram = weft::counters::tick_histogram<std::uint64_t>;
  std::uint64_t num_short = 0;
  for (std::size_t i = 0; i < histogram::bucket_of(limit); ++i) {
    num_short += durations[i];
  }
  EXPECT_EQ(num_short, 1U) << "the caller itself did next to nothing";
  EXPECT_EQ(reading.samples.task.num, 4);
}

TEST(TaskClock, a_stay_away_from_the_worker_is_not_charged) {
  using namespace std::chrono_literals;
  lone_clock lone(timing_mode::exact);

  count_and_run(lone, run_kind::called, [&] {
    const task_clock::pause pause = lone.clock.begin_pause(lone.here);
    spin_for(5ms);
    lone.clock.end_pause(pause, lone.here);
  });

  const double ticks = read_block(*lone.block).samples.task.ticks;
  EXPECT_LT(ticks * weft::counters::seconds_per_tick(), 4e-3);
}

TEST(TaskClock, labels_without_a_slot_of_their_own_share_the_last_slot) {
  constexpr std::size_t num_slots = worker_block::num_labels;
  lone_clock lone(timing_mode::exact);
  const std::array<char, 2 * num_slots> labels{};

  for (const char& label : labels) {
    ASSERT_TRUE(lone.clock.count());
    timed_task timing{.label = &label, .kind = run_kind::called};
    lone.clock.begin(timing, lone.here);
    lone.clock.end(timing, lone.here);
  }

  const std::span slots(lone.block->labels);
  for (const weft::counters::label_slot& slot : slots.first(num_slots - 1)) {
    EXPECT_EQ(slot.weight.value(), 1);
  }
  EXPECT_EQ(slots.back().function.value(), weft::counters::label_slot::others);
  EXPECT_EQ(slots.back().weight.value(),
            read_block(*lone.block).samples.task.num - (num_slots - 1));
}

/// Lets a loop take tasks until one was timed and, after it, so many were not.
void run_loop(lone_clock& lone, int num_after) {
  bool has_timed = false;
  for (int since = 0; !has_timed || since < num_after; ++since) {
    lone.clock.count_loop_run();
    if (lone.clock.count()) {
      timed_task timing{.kind = run_kind::looped};
      lone.clock.begin(timing, lone.here);
      lone.clock.end(timing, lone.here);
      has_timed = true;
      since = 0;
    }
  }
}

TEST(TaskClock, what_a_loop_ran_after_its_last_timed_task_is_known_when_it_ends) {
  constexpr int num_after = 200;
  lone_clock lone(timing_mode::sampled);
  run_loop(lone, num_after);
  const auto before = read_block(*lone.block).samples;

  lone.clock.end_window();

  const auto after = read_block(*lone.block).samples;
  EXPECT_NEAR(after.window_tasks - before.window_tasks, num_after, 2);
  EXPECT_GT(after.window_ticks, before.window_ticks);
  lone.clock.end_window();
  EXPECT_EQ(read_block(*lone.block).samples.window_tasks, after.window_tasks) << "only once";
}

TEST(TaskClock, a_broken_window_is_none) {
  lone_clock lone(timing_mode::sampled);
  run_loop(lone, 200);
  const auto before = read_block(*lone.block).samples;

  lone.clock.break_window();
  lone.clock.end_window();

  EXPECT_EQ(read_block(*lone.block).samples.window_tasks, before.window_tasks);
}

TEST(TaskClock, a_drawn_task_with_very_many_calls_times_the_first_few) {
  lone_clock lone(timing_mode::sampled);
  constexpr int num_calls = 100'000;
  double num_before = 0;
  bool was_drawn = false;

  for (int i = 0; i < 100'000 && !was_drawn; ++i) {
    if (lone.clock.count()) {
      timed_task timing{.kind = run_kind::called};
      lone.clock.begin(timing, lone.here);
      was_drawn = timing.weight != 0;
      num_before = read_block(*lone.block).samples.task.num;
      for (int j = 0; j < num_calls; ++j) {
        count_and_run(lone, run_kind::called, [] {});
      }
      lone.clock.end(timing, lone.here);
    }
  }

  ASSERT_TRUE(was_drawn);
  EXPECT_LT(read_block(*lone.block).samples.task.num - num_before, num_calls / 10);
}

/// How much time of a runtime's workers its counters lack, or count twice, as a part of all.
double unaccounted(const block_reading& delta, int num_workers, double wall_s) {
  const auto counted =
      static_cast<double>(delta.counts.ticks_executing + delta.counts.ticks_searching +
                          delta.counts.ticks_stealing + delta.counts.ticks_parked);
  const double all_s = num_workers * wall_s;
  return std::abs(counted * weft::counters::seconds_per_tick() - all_s) / all_s;
}

void spin_recursively(int depth) {
  if (depth == 0) {
    spin_for(std::chrono::microseconds(50));
    return;
  }
  weft::fork_join([depth] { spin_recursively(depth - 1); },
                  [depth] { spin_recursively(depth - 1); });
  spin_for(std::chrono::microseconds(20));
}

/// The pool of the runtime that was made last, of which a worker has run. Another test of this
/// process may have left the default runtime behind, whose workers' time is not asked for.
std::uint32_t newest_pool() {
  std::uint32_t newest = 0;
  process_blocks().for_each(
      [&](const worker_block& block) { newest = std::max(newest, block.pool); });
  return newest;
}

struct accounted {
  block_reading delta;
  double wall_s;
};

/// What the workers of a runtime counted during recursive tasks, and how long an outside clock says
/// that took.
accounted account_for(runtime& r) {
  r.run([] {});
  const std::uint32_t pool = newest_pool();
  block_reading before = process_blocks().reading(pool);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) {
    r.run([] { spin_recursively(8); });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  block_reading after = process_blocks().reading(pool);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  after -= before;
  return {after, wall.count()};
}

/// How many timed tasks have had each label, on all workers.
std::map<std::uint64_t, double> weights_by_label() {
  std::map<std::uint64_t, double> weights;
  process_blocks().for_each([&](const worker_block& block) {
    for (const weft::counters::label_slot& slot : block.labels) {
      weights[slot.function.value()] += slot.weight.value();
    }
  });
  return weights;
}

/// How much each label's weight has grown since `before`.
std::vector<double> added_weights(const std::map<std::uint64_t, double>& before) {
  std::vector<double> added;
  for (const auto& [label, weight] : weights_by_label()) {
    const auto known = before.find(label);
    added.push_back(weight - (known == before.end() ? 0 : known->second));
  }
  return added;
}

class TaskClockWorkers : public testing::TestWithParam<int> {};

TEST_P(TaskClockWorkers, all_time_is_accounted_for_once) {
  constexpr double tolerance = 1e-3;
  runtime r(timed_by(timing_mode::sampled, GetParam()));
  accounted best{};
  double least = 1;

  // A reading that is interrupted between its two clocks says nothing about the counters.
  for (int i = 0; i < 5 && least > tolerance; ++i) {
    const accounted one = account_for(r);
    const double lack = unaccounted(one.delta, GetParam(), one.wall_s);
    if (lack < least) {
      least = lack;
      best = one;
    }
  }

  EXPECT_LT(least, tolerance);
  block_reading double_counted = best.delta;
  double_counted.counts.ticks_executing += best.delta.counts.ticks_executing / 50;
  EXPECT_GT(unaccounted(double_counted, GetParam(), best.wall_s), tolerance)
      << "2 % of the tasks counted twice must show";
}

TEST_P(TaskClockWorkers, time_in_tasks_is_what_an_outside_clock_says_they_spun) {
  runtime r(timed_by(timing_mode::exact, GetParam()));
  std::atomic<std::int64_t> spun_ns{0};
  const block_reading before = process_blocks().reading();

  r.run([&] {
    task_group group;
    for (int i = 0; i < 200; ++i) {
      group.run([&] {
        const auto begin = std::chrono::steady_clock::now();
        spin_for(std::chrono::microseconds(100));
        spun_ns += std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
      });
    }
    group.wait();
  });

  block_reading delta = process_blocks().reading();
  delta -= before;
  const std::optional<weft::counters::busy_time> busy = weft::counters::split_busy_time(delta);
  ASSERT_TRUE(busy);
  const double in_tasks_s = busy->in_tasks_ticks * weft::counters::seconds_per_tick();
  EXPECT_GE(in_tasks_s, static_cast<double>(spun_ns) * 1e-9 * 0.99);
}

TEST_P(TaskClockWorkers, suspended_tasks_are_timed_where_they_run) {
  runtime r(timed_by(timing_mode::exact, GetParam()));
  const block_reading before = process_blocks().reading();
  constexpr int num_tasks = 2'000;
  weft::mutex mutex;
  int sum = 0;

  r.run([&] {
    task_group group;
    for (int i = 0; i < num_tasks; ++i) {
      group.run([&] {
        const std::lock_guard guard(mutex);
        weft::fork_join([&] { ++sum; }, [] {});
      });
    }
    group.wait();
  });

  block_reading delta = process_blocks().reading();
  delta -= before;
  EXPECT_EQ(sum, num_tasks);
  EXPECT_EQ(delta.counts.tasks_executed, 2U * num_tasks + 1);
  EXPECT_NEAR(delta.samples.task.num + delta.samples.disturbed, 2 * num_tasks + 1, 1)
      << "the outermost task may still be ending";
}

TEST(TaskClock, a_task_of_a_group_has_one_label_whoever_runs_it) {
  constexpr std::uint64_t num_tasks = 100;
  constexpr std::uint64_t num_stolen = 10;
  runtime r(timed_by(timing_mode::exact, 2));
  const std::map<std::uint64_t, double> before = weights_by_label();

  r.run([] {
    std::atomic<std::uint64_t> num_run{0};
    task_group group;
    for (std::uint64_t i = 0; i < num_tasks; ++i) {
      group.run([&num_run] { ++num_run; });
    }
    while (num_run < num_stolen) {  // by the other worker: this one is here
      std::this_thread::yield();
    }
    group.wait();
  });

  // The worker that ends the group writes its last task's sample a moment later.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::vector<double> added = added_weights(before);
  while (!std::ranges::count(added, num_tasks) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
    added = added_weights(before);
  }
  EXPECT_THAT(added, testing::Contains(num_tasks));
}

INSTANTIATE_TEST_SUITE_P(Workers, TaskClockWorkers, testing::Values(1, 2, 4));

TEST(TaskClock, delays_in_queues_are_measured) {
  runtime r(timed_by(timing_mode::exact, 1));
  const block_reading before = process_blocks().reading();

  r.run([] {
    task_group group;
    for (int i = 0; i < 1'000; ++i) {
      group.run([] { weft::fork_join([] {}, [] {}); });
    }
    group.wait();
  });

  block_reading delta = process_blocks().reading();
  delta -= before;
  std::uint64_t num_delays = 0;
  for (const std::uint64_t weight : delta.histograms.queue_delay.weight) {
    num_delays += weight;
  }
  EXPECT_GT(num_delays, 0U);
  EXPECT_EQ(delta.counts.tasks_executed, 2'001U);
}

TEST(TaskClock, a_group_does_not_wait_for_a_task_of_its_own_whose_delay_is_measured) {
  constexpr std::uint64_t num_groups = 200;
  constexpr std::uint64_t num_tasks = 10;
  runtime r(timed_by(timing_mode::exact, 1));
  const block_reading before = process_blocks().reading();

  r.run([] {
    for (std::uint64_t i = 0; i < num_groups; ++i) {
      task_group group;
      for (std::uint64_t j = 0; j < num_tasks; ++j) {
        group.run([] {});
      }
      group.wait();
    }
  });

  block_reading delta = process_blocks().reading();
  delta -= before;
  std::uint64_t num_delays = 0;
  for (const std::uint64_t weight : delta.histograms.queue_delay.weight) {
    num_delays += weight;
  }
  EXPECT_GT(num_delays, 0U);
  EXPECT_EQ(delta.counts.suspensions, 0U);
  EXPECT_EQ(delta.counts.tasks_executed, num_groups * num_tasks + 1);
}

}  // namespace task_clock_test
