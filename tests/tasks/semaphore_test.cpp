// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Semaphores: counts, order, time limits, distance.
#include "weft/tasks/semaphore.hpp"

#include <atomic>
#include <chrono>
#include <memory>

#include <gtest/gtest.h>

#include "weft/tasks/this_task.hpp"

#include "tasks/on_workers.hpp"

namespace semaphore_test {

using namespace std::chrono_literals;

class Semaphore : public weft::test::OnWorkers {};

TEST_P(Semaphore, at_most_count_are_inside) {
  constexpr int count = 3;
  weft::counting_semaphore<count> semaphore(count);
  std::atomic<int> num_inside{0};
  std::atomic<int> num_visits{0};

  run_tasks_and_threads(16, [&](int) {
    for (int round = 0; round < 200; ++round) {
      semaphore.acquire();
      ASSERT_LE(++num_inside, count);
      weft::this_task::yield();
      --num_inside;
      ++num_visits;
      semaphore.release();
    }
  });

  EXPECT_EQ(num_visits, 16 * 200);
  EXPECT_TRUE(semaphore.try_acquire());
  EXPECT_TRUE(semaphore.try_acquire());
  EXPECT_TRUE(semaphore.try_acquire());
  EXPECT_FALSE(semaphore.try_acquire());
}

TEST_P(Semaphore, two_tasks_play_ping_pong) {
  weft::binary_semaphore ping(0);
  weft::binary_semaphore pong(0);
  constexpr int num_rounds = 2000;
  int ball = 0;

  run_tasks(2, [&](int i) {
    for (int round = 0; round < num_rounds; ++round) {
      if (i == 0) {
        ASSERT_EQ(ball, 2 * round);
        ++ball;
        ping.release();
        pong.acquire();
      } else {
        ping.acquire();
        ++ball;
        pong.release();
      }
    }
  });

  EXPECT_EQ(ball, 2 * num_rounds);
}

TEST_P(Semaphore, may_be_destroyed_by_who_acquired) {
  for (int round = 0; round < 300; ++round) {
    auto semaphore = std::make_unique<weft::binary_semaphore>(0);
    run_tasks(2, [&](int i) {
      if (i == 0) {
        semaphore->acquire();
        semaphore.reset();
      } else {
        semaphore->release();
      }
    });
    ASSERT_EQ(semaphore, nullptr);
  }
}

TEST_P(Semaphore, releasing_many_lets_as_many_pass) {
  weft::counting_semaphore<> semaphore(0);
  std::atomic<int> num_passed{0};

  run_tasks_and_threads(9, [&](int i) {
    if (i == 8) {
      semaphore.release(5);
      while (num_passed < 5) {
        weft::this_task::yield();
      }
      EXPECT_EQ(num_passed, 5);
      semaphore.release(3);
      return;
    }
    semaphore.acquire();
    ++num_passed;
  });

  EXPECT_EQ(num_passed, 8);
  EXPECT_FALSE(semaphore.try_acquire());
}

TEST_P(Semaphore, a_time_limit_ends_the_wait) {
  weft::binary_semaphore never(0);

  run_tasks_and_threads(4, [&](int) {
    const auto limit = std::chrono::steady_clock::now() + 3ms;
    EXPECT_FALSE(never.try_acquire_until(limit));
    EXPECT_GE(std::chrono::steady_clock::now(), limit);
    EXPECT_FALSE(never.try_acquire_for(0s));
  });
}

TEST_P(Semaphore, nothing_released_is_lost_to_a_time_limit) {
  weft::counting_semaphore<> semaphore(0);
  constexpr int num_rounds = 100;
  std::atomic<int> num_acquired{0};

  run_tasks_and_threads(8, [&](int i) {
    for (int round = 0; round < num_rounds; ++round) {
      if (i < 4) {
        semaphore.release();
        weft::this_task::yield();
      } else {
        while (!semaphore.try_acquire_for(std::chrono::microseconds((round * 7) % 50))) {
          weft::this_task::yield();
        }
        ++num_acquired;
      }
    }
  });

  EXPECT_EQ(num_acquired, 4 * num_rounds);
  EXPECT_FALSE(semaphore.try_acquire());
}

TEST_P(Semaphore, steps_stay_within_the_distance) {
  constexpr int distance = 4;
  constexpr int num_steps = 300;
  weft::sliding_semaphore window(distance);
  std::atomic<int> num_done{0};

  run_tasks(2, [&](int i) {
    for (int step = 1; step <= num_steps; ++step) {
      if (i == 0) {
        window.wait(step);
        ASSERT_LE(step, num_done + distance);
      } else {
        ++num_done;
        window.signal(step);
        weft::this_task::yield();
      }
    }
  });

  EXPECT_TRUE(window.try_wait(num_steps + distance));
  EXPECT_FALSE(window.try_wait(num_steps + distance + 1));
  window.set_max_difference(distance + 1, num_steps);
  EXPECT_TRUE(window.try_wait(num_steps + distance + 1));
  EXPECT_EQ(window.signal_all(), num_steps);
}

TEST(SlidingSemaphore, a_lower_signal_takes_nothing_back) {
  weft::sliding_semaphore window(2);

  window.signal(5);
  window.signal(3);

  EXPECT_TRUE(window.try_wait(7));
  EXPECT_FALSE(window.try_wait(8));
  EXPECT_EQ(window.signal_all(), 5);
}

WEFT_TEST_ON_WORKERS(Semaphore);

}  // namespace semaphore_test
