// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Priorities: the order with one worker, and that nothing waits for ever with any number.
#include <atomic>
#include <functional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "weft/tasks/async.hpp"
#include "weft/tasks/event.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/task_group.hpp"
#include "weft/tasks/this_task.hpp"
#include "weft/tasks/thread.hpp"

#include "tasks/with_workers.hpp"

namespace priority_test {

using weft::task_priority;

static_assert(weft::launch::sync.with_priority(task_priority::high) == weft::launch::sync);
static_assert(weft::launch::async.with_priority(task_priority::high) != weft::launch::async);
static_assert(weft::launch::async.with_priority(task_priority::normal) == weft::launch::async);

TEST(Priority, one_worker_begins_high_ones_first_and_low_ones_last) {
  std::string order;
  weft::runtime runtime(weft::test::with_workers(1));
  runtime.run([&] {
    weft::event is_over;
    weft::post(task_priority::low, [&] { order += "l "; });
    weft::post(task_priority::low, [&] {
      order += "L";
      is_over.set();
    });
    weft::post([&] { order += "n "; });
    weft::post(task_priority::normal, [&] { order += "N "; });
    weft::post(task_priority::high, [&] { order += "h "; });
    weft::post(task_priority::high, [&] { order += "H "; });
    is_over.wait();
  });

  EXPECT_EQ(order, "h H N n l L");
}

TEST(Priority, every_way_to_start_a_task_heeds_it) {
  std::string order;
  weft::runtime runtime(weft::test::with_workers(1));
  runtime.run([&] {
    const weft::launch high = weft::launch::async.with_priority(task_priority::high);
    const weft::launch low = weft::launch::async.with_priority(task_priority::low);
    weft::event is_over;
    weft::promise<void> source;
    weft::thread last(task_priority::low, [&] {
      order += "thread";
      is_over.set();
    });
    weft::post([&] { order += "normal "; });
    weft::future<void> first = weft::async(high, [&] { order += "async "; });
    auto then_high = source.get_future().then(high, [&](weft::future<void>) { order += "then "; });
    source.set_value();
    is_over.wait();
    first.get();
    then_high.get();
    auto late = weft::async(low, [&] { order += " late"; });
    late.get();
    last.join();
  });

  EXPECT_EQ(order, "async then normal thread late");
}

TEST(Priority, what_a_group_has_not_begun_comes_after_high_ones) {
  std::string order;
  weft::runtime runtime(weft::test::with_workers(1));
  runtime.run([&] {
    weft::task_group group;
    group.run([&] { order += "last"; });
    group.run([&] {
      order += "first ";
      weft::post(task_priority::high, [&] { order += "high "; });
    });
    group.wait();
  });

  EXPECT_EQ(order, "first high last");
}

TEST(Priority, groups_that_tasks_call_take_no_turn_away) {
  constexpr int num_members = 60;  // with the task that runs them as many as a turn has tasks
  std::atomic<int> num_rounds{0};
  std::atomic<bool> has_run{false};
  const std::function<void()> round = [&] {
    weft::task_group group;
    for (int i = 0; i < num_members; ++i) {
      group.run([] {});
    }
    group.wait();
    if (++num_rounds < 1000 && !has_run) {
      weft::post([&] { round(); });
    }
  };
  {
    weft::runtime runtime(weft::test::with_workers(1));
    runtime.run([&] {
      round();
      weft::post(task_priority::low, [&] { has_run = true; });
    });
  }

  EXPECT_LE(num_rounds.load(), 3 * 61 + 2);
}

class Priorities : public testing::TestWithParam<int> {};

/// Starts itself anew until `is_over`.
void go_on(task_priority priority, std::atomic<bool>& is_over, std::atomic<int>& num_run) {
  if (!is_over) {
    ++num_run;
    weft::post(priority, [=, &is_over, &num_run] { go_on(priority, is_over, num_run); });
  }
}

int num_run_before(task_priority waiting, task_priority load, int num_workers) {
  std::atomic<bool> is_over{false};
  std::atomic<int> num_run{0};
  {
    weft::runtime runtime(weft::test::with_workers(num_workers));
    runtime.run([&] {
      for (int i = 0; i < 2 * num_workers; ++i) {
        go_on(load, is_over, num_run);
      }
      weft::post(waiting, [&] { is_over = true; });
    });
  }
  return num_run.load();
}

TEST_P(Priorities, none_waits_for_ever_behind_tasks_that_start_tasks) {
  constexpr std::pair<task_priority, task_priority> cases[]{
      {task_priority::low, task_priority::normal},
      {task_priority::low, task_priority::high},
      {task_priority::normal, task_priority::high}};
  for (const auto& [waiting, load] : cases) {
    const int num_run = num_run_before(waiting, load, GetParam());
    EXPECT_GT(num_run, 0);
    if (GetParam() == 1) {
      EXPECT_LE(num_run, 3 * 61 + 2);
    }
  }
}

TEST_P(Priorities, a_task_that_yields_lets_low_ones_run) {
  weft::runtime runtime(weft::test::with_workers(GetParam()));
  int num_yields = 0;
  runtime.run([&] {
    std::atomic<bool> has_run{false};
    weft::post(task_priority::low, [&] { has_run = true; });
    while (!has_run) {
      weft::this_task::yield();
      ++num_yields;
    }
  });

  EXPECT_GE(num_yields, 0);
}

TEST_P(Priorities, tasks_of_all_priorities_are_run_and_waited_for) {
  constexpr int num_rounds = 300;
  std::atomic<int> num_run{0};
  {
    weft::runtime runtime(weft::test::with_workers(GetParam()));
    for (int i = 0; i < num_rounds; ++i) {
      for (const auto priority : {task_priority::low, task_priority::normal, task_priority::high}) {
        runtime.run([&] {
          weft::post(priority, [&] { ++num_run; });
          auto result = weft::async(weft::launch::async.with_priority(priority), [] { return 1; });
          num_run += result.get();
        });
      }
    }
  }

  EXPECT_EQ(num_run.load(), num_rounds * 6);
}

TEST(PriorityOfThread, tasks_of_an_ordinary_thread_have_one_too) {
  int sum = 0;
  for (const auto priority : {task_priority::low, task_priority::high}) {
    sum += weft::async(weft::launch::async.with_priority(priority), [] { return 1; }).get();
    int* const to = &sum;
    weft::thread(priority, [to] { ++*to; }).join();
  }

  EXPECT_EQ(sum, 4);
}

INSTANTIATE_TEST_SUITE_P(Workers, Priorities, testing::Values(1, 2, 4, 16));

}  // namespace priority_test
