// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locking several mutexes at once: the dining philosophers, and six locks with repetitions.
#include "weft/tasks/lock.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/mutex.hpp"
#include "weft/tasks/this_task.hpp"

#include "tasks/on_workers.hpp"

namespace lock_test {

class Lock : public weft::test::OnWorkers {};

TEST_P(Lock, philosophers_all_eat) {
  constexpr std::size_t num_seats = 12;
  constexpr int num_meals = 60;
  std::array<weft::mutex, num_seats> forks;
  std::array<std::atomic<int>, num_seats> num_users{};
  std::atomic<int> num_eaten{0};

  run_tasks_and_threads(num_seats, [&](int i) {
    const auto left = static_cast<std::size_t>(i);
    const std::size_t right = (left + 1) % num_seats;
    for (int meal = 0; meal < num_meals; ++meal) {
      const weft::scoped_lock guard(forks[left], forks[right]);
      ASSERT_EQ(++num_users[left], 1);
      ASSERT_EQ(++num_users[right], 1);
      weft::this_task::yield();
      --num_users[left];
      --num_users[right];
      ++num_eaten;
    }
  });

  EXPECT_EQ(num_eaten, static_cast<int>(num_seats) * num_meals);
}

TEST_P(Lock, a_mutex_may_be_named_twice) {
  weft::mutex a;
  weft::mutex b;

  {
    const weft::scoped_lock guard(a, b, a, b, a);
    EXPECT_FALSE(a.try_lock());
    EXPECT_FALSE(b.try_lock());
  }
  weft::lock(a, a);
  weft::unlock(a, a);
  EXPECT_TRUE(a.try_lock());
  a.unlock();
}

TEST_P(Lock, random_sixes_exclude_each_other) {
  std::vector<weft::mutex> cells(8);
  std::vector<long> sums(8, 0);

  run_tasks(10, [&](int i) {
    std::mt19937 random(static_cast<unsigned>(i));
    for (int round = 0; round < 150; ++round) {
      std::array<std::size_t, 6> picks{};
      for (std::size_t& pick : picks) {
        pick = random() % cells.size();
      }
      const weft::scoped_lock guard(cells[picks[0]],
                                    cells[picks[1]],
                                    cells[picks[2]],
                                    cells[picks[3]],
                                    cells[picks[4]],
                                    cells[picks[5]]);
      for (const std::size_t pick : picks) {
        ++sums[pick];
      }
    }
  });

  long total = 0;
  for (const long sum : sums) {
    total += sum;
  }
  EXPECT_EQ(total, 10 * 150 * 6);
}

TEST_P(Lock, lives_together_with_std_lock) {
  weft::mutex a;
  weft::mutex b;
  weft::mutex c;
  long sum = 0;

  run_tasks_and_threads(8, [&](int i) {
    for (int round = 0; round < 100; ++round) {
      if (i < 4) {
        const weft::scoped_lock guard(c, a, b);
        ++sum;
      } else {
        const std::scoped_lock guard(b, c, a);
        ++sum;
      }
    }
  });

  EXPECT_EQ(sum, 8 * 100);
}

struct broken_mutex {
  void lock() { throw std::runtime_error("broken"); }
  void unlock() {}
};

TEST(LockFailure, leaves_nothing_locked) {
  std::array<weft::mutex, 3> good;
  broken_mutex bad;

  EXPECT_THROW(weft::lock(good[0], bad, good[1], good[2]), std::runtime_error);

  for (weft::mutex& mutex : good) {
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
  }
}

/// Counts how often it is tried, and is free or not as told.
struct counted_mutex {
  bool try_lock() {
    ++num_tries;
    return is_free;
  }
  void lock() { ++num_locks; }
  void unlock() { ++num_unlocks; }

  bool is_free = true;
  int num_tries = 0;
  int num_locks = 0;
  int num_unlocks = 0;
};

TEST(LockOrder, who_finds_one_taken_lets_go_once_and_waits_holding_none_out_of_order) {
  std::array<counted_mutex, 3> mutexes;
  mutexes[1].is_free = false;

  weft::lock(mutexes[0], mutexes[1], mutexes[2]);

  EXPECT_EQ(mutexes[0].num_tries, 1);
  EXPECT_EQ(mutexes[0].num_unlocks, 1);
  EXPECT_EQ(mutexes[2].num_tries, 0);
  for (const counted_mutex& each : mutexes) {
    EXPECT_EQ(each.num_locks, 1);
  }
}

TEST(LockOrder, free_mutexes_are_only_tried) {
  std::array<counted_mutex, 2> mutexes;

  {
    const weft::scoped_lock guard(mutexes[1], mutexes[0]);
  }

  for (const counted_mutex& each : mutexes) {
    EXPECT_EQ(each.num_tries, 1);
    EXPECT_EQ(each.num_locks, 0);
    EXPECT_EQ(each.num_unlocks, 1);
  }
}

struct mutex_broken_on_trial {
  bool try_lock() { throw std::runtime_error("broken"); }
  void lock() {}
  void unlock() {}
};

TEST(LockFailure, leaves_nothing_locked_when_a_trial_throws) {
  weft::mutex good;
  mutex_broken_on_trial bad;

  EXPECT_THROW(weft::lock(good, bad), std::runtime_error);

  EXPECT_TRUE(good.try_lock());
  good.unlock();
}

WEFT_TEST_ON_WORKERS(Lock);

}  // namespace lock_test
