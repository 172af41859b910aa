// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutexes: exclusion, order, time limits and wrong use, for tasks and OS threads.
#include "weft/tasks/mutex.hpp"

#include <atomic>
#include <chrono>
#include <concepts>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "weft/base/assert.hpp"
#include "weft/base/error.hpp"
#include "weft/tasks/fork_join.hpp"

#include "tasks/on_workers.hpp"
#include "tasks/with_workers.hpp"

namespace mutex_test {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

template <class T>
concept lockable = requires(T m) {
  m.lock();
  { m.try_lock() } -> std::same_as<bool>;
  m.unlock();
};
template <class T>
concept timed_lockable = lockable<T> && requires(T m) {
  { m.try_lock_for(1ms) } -> std::same_as<bool>;
  { m.try_lock_until(steady_clock::now()) } -> std::same_as<bool>;
};
static_assert(lockable<weft::mutex> && !timed_lockable<weft::mutex>);
static_assert(timed_lockable<weft::timed_mutex>);
static_assert(lockable<weft::recursive_mutex>);

class Mutex : public weft::test::OnWorkers {};

TEST_P(Mutex, excludes_all_others) {
  constexpr int num_users = 16;
  constexpr int num_rounds = 500;
  weft::mutex mutex;
  int inside = 0;
  long sum = 0;

  run_tasks_and_threads(num_users, [&](int) {
    for (int round = 0; round < num_rounds; ++round) {
      const std::lock_guard guard(mutex);
      ASSERT_EQ(++inside, 1);
      ++sum;
      --inside;
    }
  });

  EXPECT_EQ(sum, long{num_users} * num_rounds);
}

TEST_P(Mutex, a_holder_that_is_suspended_keeps_it) {
  weft::mutex outer;
  weft::mutex inner;
  int inside = 0;
  long sum = 0;

  run_tasks(12, [&](int) {
    for (int round = 0; round < 100; ++round) {
      const std::lock_guard hold(outer);
      ASSERT_EQ(++inside, 1);
      weft::fork_join(
          [&] {
            const std::lock_guard guard(inner);
            ++sum;
          },
          [&] {
            const std::lock_guard guard(inner);
            ++sum;
          });
      --inside;
    }
  });

  EXPECT_EQ(sum, 2 * 12 * 100);
}

TEST_P(Mutex, try_lock_fails_while_held_and_only_then) {
  weft::mutex mutex;

  runtime_.run([&] {
    ASSERT_TRUE(mutex.try_lock());
    EXPECT_FALSE(mutex.try_lock());
    mutex.unlock();
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
  });
}

TEST_P(Mutex, a_waiter_gets_past_one_who_locks_again_at_once) {
  weft::mutex mutex;
  std::atomic<bool> has_waiter_locked{false};
  std::atomic<bool> is_greedy_running{false};

  weft::runtime other(weft::test::with_workers(1));
  std::jthread waiter([&] {
    other.run([&] {
      while (!is_greedy_running) {
      }
      const std::lock_guard guard(mutex);
      has_waiter_locked = true;
    });
  });
  runtime_.run([&] {
    while (!has_waiter_locked) {
      const std::lock_guard guard(mutex);
      is_greedy_running = true;
    }
  });

  EXPECT_TRUE(has_waiter_locked);
}

TEST_P(Mutex, locking_what_one_holds_is_an_error) {
  weft::mutex mutex;

  runtime_.run([&] {
    const std::lock_guard guard(mutex);
    EXPECT_THROW(mutex.lock(), weft::error);
  });
  const std::lock_guard guard(mutex);
  EXPECT_THROW(mutex.lock(), weft::error);
}

TEST_P(Mutex, works_with_std_lock) {
  weft::mutex a;
  weft::mutex b;
  weft::timed_mutex c;
  long sum = 0;

  run_tasks_and_threads(8, [&](int i) {
    for (int round = 0; round < 200; ++round) {
      if (i % 2 == 0) {
        const std::scoped_lock guard(a, b, c);
        ++sum;
      } else {
        const std::scoped_lock guard(c, b, a);
        ++sum;
      }
    }
  });

  EXPECT_EQ(sum, 8 * 200);
}

TEST_P(Mutex, a_time_limit_ends_the_wait) {
  weft::timed_mutex mutex;

  runtime_.run([&] {
    const std::lock_guard guard(mutex);
    std::thread([&] {
      const auto begin = steady_clock::now();
      EXPECT_FALSE(mutex.try_lock_for(3ms));
      EXPECT_GE(steady_clock::now() - begin, 3ms);
    }).join();
    weft::fork_join([] {}, [&] { EXPECT_FALSE(mutex.try_lock_until(steady_clock::now() + 3ms)); });
  });

  EXPECT_TRUE(mutex.try_lock_for(1h));
  mutex.unlock();
}

TEST_P(Mutex, time_limits_race_with_unlocking) {
  constexpr int num_rounds = 60;
  weft::timed_mutex mutex;
  int inside = 0;
  std::atomic<int> num_locked{0};

  run_tasks_and_threads(12, [&](int i) {
    for (int round = 0; round < num_rounds; ++round) {
      const auto limit = std::chrono::microseconds((i * 7 + round * 13) % 100);
      if (i % 3 == 0) {
        mutex.lock();
      } else if (!mutex.try_lock_for(limit)) {
        continue;
      }
      ASSERT_EQ(++inside, 1);
      ++num_locked;
      const auto until = steady_clock::now() + std::chrono::microseconds(round % 20);
      while (steady_clock::now() < until) {
      }
      --inside;
      mutex.unlock();
    }
  });

  EXPECT_GE(num_locked, 4 * num_rounds);
}

TEST_P(Mutex, a_recursive_mutex_counts) {
  weft::recursive_mutex mutex;
  long sum = 0;

  run_tasks_and_threads(8, [&](int) {
    for (int round = 0; round < 200; ++round) {
      const std::lock_guard once(mutex);
      const std::lock_guard twice(mutex);
      ASSERT_TRUE(mutex.try_lock());
      ++sum;
      mutex.unlock();
    }
  });

  EXPECT_EQ(sum, 8 * 200);
}

WEFT_TEST_ON_WORKERS(Mutex);

#if WEFT_ASSERTIONS_ENABLED
[[noreturn]] void throw_message(const weft::broken_assertion& broken) {
  throw std::logic_error(broken.message);
}

TEST(MutexWrongUse, unlocking_what_another_holds_is_reported) {
  weft::mutex mutex;
  const weft::assert_handler before = weft::set_assert_handler(throw_message);

  mutex.lock();
  std::thread([&] { EXPECT_THROW(mutex.unlock(), std::logic_error); }).join();
  mutex.unlock();
  EXPECT_THROW(mutex.unlock(), std::logic_error);

  weft::set_assert_handler(before);
}
#endif

}  // namespace mutex_test
