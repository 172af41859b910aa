// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Yielding and sleeping.
#include "weft/tasks/this_task.hpp"

#include <atomic>
#include <chrono>
#include <unordered_set>

#include <gtest/gtest.h>

#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"

#include "tasks/on_workers.hpp"

namespace this_task_test {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

class ThisTask : public weft::test::OnWorkers {};

TEST_P(ThisTask, others_go_first) {
  std::atomic<bool> has_other_run{false};

  run_tasks(2, [&](int i) {
    if (i == 0) {
      while (!has_other_run) {
        weft::this_task::yield();
      }
    } else {
      has_other_run = true;
    }
  });

  EXPECT_TRUE(has_other_run);
}

// As docs/how_the_scheduler_works.md says: get() of what nobody has begun calls it and does not
// wait.
TEST_P(ThisTask, loops_over_get_on_all_workers_let_another_run_if_they_yield) {
  const int num_workers = runtime_.num_workers();
  std::atomic<int> num_looping{0};
  std::atomic<bool> has_other_run{false};

  run_tasks(num_workers + 1, [&](int i) {
    if (i == num_workers) {
      while (num_looping < num_workers) {
        weft::this_task::yield();
      }
      has_other_run = true;
      return;
    }
    ++num_looping;
    while (!has_other_run) {
      weft::async([] {}).get();
      weft::this_task::yield();
    }
  });

  EXPECT_TRUE(has_other_run);
}

TEST_P(ThisTask, a_ring_of_tasks_takes_turns) {
  constexpr int num_tasks = 10;
  std::atomic<int> turn{0};

  run_tasks_and_threads(num_tasks, [&](int i) {
    for (int round = 0; round < 20; ++round) {
      while (turn % num_tasks != i) {
        weft::this_task::yield();
      }
      ++turn;
    }
  });

  EXPECT_EQ(turn, 20 * num_tasks);
}

TEST_P(ThisTask, yielding_alone_returns) {
  int num_returned = 0;
  runtime_.run([&] {
    for (int i = 0; i < 1000; ++i) {
      weft::this_task::yield();
      ++num_returned;
    }
  });
  weft::this_task::yield();

  EXPECT_EQ(num_returned, 1000);
}

TEST_P(ThisTask, sleeping_tasks_do_not_occupy_workers) {
  constexpr int num_tasks = 1000;
  std::atomic<int> num_asleep{0};
  std::atomic<int> most_asleep{0};
  const auto begin = steady_clock::now();

  run_tasks(num_tasks, [&](int) {
    const int now_asleep = ++num_asleep;
    if (now_asleep == num_tasks) {
      most_asleep = now_asleep;
    }
    while (most_asleep < num_tasks) {
      weft::this_task::sleep_for(2ms);
    }
  });

  EXPECT_EQ(most_asleep, num_tasks);
  EXPECT_GE(steady_clock::now() - begin, 2ms);
}

TEST_P(ThisTask, sleep_until_is_not_early_on_any_clock) {
  run_tasks_and_threads(10, [&](int i) {
    const auto steady = steady_clock::now() + std::chrono::microseconds(i * 300);
    weft::this_task::sleep_until(steady);
    EXPECT_GE(steady_clock::now(), steady);
    const auto system = std::chrono::system_clock::now() + std::chrono::microseconds(i * 100);
    weft::this_task::sleep_until(system);
    EXPECT_GE(std::chrono::system_clock::now(), system);
    weft::this_task::sleep_for(-1h);
  });
}

TEST(TaskId, can_be_kept_in_a_table) {
  const std::unordered_set<weft::task_id> known{weft::this_task::get_id(), weft::task_id()};

  EXPECT_EQ(known.size(), 2);
  EXPECT_TRUE(known.contains(weft::this_task::get_id()));
}

WEFT_TEST_ON_WORKERS(ThisTask);

}  // namespace this_task_test
