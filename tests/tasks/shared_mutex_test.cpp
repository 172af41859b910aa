// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared mutexes: readers together, writers alone, nobody starves.
#include "weft/tasks/shared_mutex.hpp"

#include <atomic>
#include <chrono>
#include <concepts>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>

#include <gtest/gtest.h>

#include "weft/base/assert.hpp"
#include "weft/base/error.hpp"
#include "weft/tasks/latch.hpp"
#include "weft/tasks/this_task.hpp"

#include "tasks/on_workers.hpp"

namespace shared_mutex_test {

using namespace std::chrono_literals;

template <class T>
concept shared_lockable = requires(T m) {
  m.lock();
  { m.try_lock() } -> std::same_as<bool>;
  m.unlock();
  m.lock_shared();
  { m.try_lock_shared() } -> std::same_as<bool>;
  m.unlock_shared();
};
static_assert(shared_lockable<weft::shared_mutex>);

class SharedMutex : public weft::test::OnWorkers {};

TEST_P(SharedMutex, writers_exclude_all_others) {
  weft::shared_mutex mutex;
  std::atomic<int> num_readers{0};
  std::atomic<int> num_writers{0};
  long sum = 0;

  run_tasks_and_threads(16, [&](int i) {
    for (int round = 0; round < 100; ++round) {
      if ((i + round) % 4 == 0) {
        const std::unique_lock lock(mutex);
        ASSERT_EQ(++num_writers, 1);
        ASSERT_EQ(num_readers, 0);
        ++sum;
        --num_writers;
      } else {
        const std::shared_lock lock(mutex);
        ++num_readers;
        ASSERT_EQ(num_writers, 0);
        weft::this_task::yield();
        --num_readers;
      }
    }
  });

  EXPECT_EQ(sum, 16 * 100 / 4);
}

TEST_P(SharedMutex, readers_are_inside_together) {
  weft::shared_mutex mutex;
  weft::latch all_inside(8);
  std::atomic<int> num_inside{0};

  run_tasks_and_threads(8, [&](int) {
    const std::shared_lock lock(mutex);
    ++num_inside;
    all_inside.arrive_and_wait();
    EXPECT_EQ(num_inside, 8);
  });
}

TEST_P(SharedMutex, trying_does_not_wait) {
  weft::shared_mutex mutex;

  ASSERT_TRUE(mutex.try_lock_shared());
  EXPECT_TRUE(mutex.try_lock_shared());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock_shared();
  mutex.unlock_shared();
  ASSERT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock_shared());
  EXPECT_FALSE(mutex.try_lock());
  EXPECT_THROW(mutex.lock(), weft::error);
  mutex.unlock();
}

TEST_P(SharedMutex, trying_does_not_overtake_a_waiting_writer) {
  weft::shared_mutex mutex;
  ASSERT_TRUE(mutex.try_lock_shared());
  bool has_overtaken = true;

  run_tasks(2, [&](int i) {
    if (i == 1) {
      const std::unique_lock lock(mutex);
      return;
    }
    const auto limit = std::chrono::steady_clock::now() + 20s;
    while (has_overtaken && std::chrono::steady_clock::now() < limit) {
      weft::this_task::yield();  // until the writer waits
      has_overtaken = mutex.try_lock_shared();
      if (has_overtaken) {
        mutex.unlock_shared();
      }
    }
    mutex.unlock_shared();
  });

  EXPECT_FALSE(has_overtaken);
  EXPECT_TRUE(mutex.try_lock_shared());
  mutex.unlock_shared();
}

TEST_P(SharedMutex, a_writer_gets_past_readers_that_overlap) {
  weft::shared_mutex mutex;
  std::atomic<bool> has_written{false};

  run_tasks(4, [&](int i) {
    if (i == 3) {
      const std::unique_lock lock(mutex);
      has_written = true;
      return;
    }
    while (!has_written) {
      const std::shared_lock lock(mutex);
      weft::this_task::yield();
    }
  });

  EXPECT_TRUE(has_written);
}

WEFT_TEST_ON_WORKERS(SharedMutex);

#if WEFT_ASSERTIONS_ENABLED
[[noreturn]] void throw_message(const weft::broken_assertion& broken) {
  throw std::logic_error(broken.message);
}

TEST(SharedMutexWrongUse, unlocking_what_is_not_held_is_reported) {
  const weft::assert_handler before = weft::set_assert_handler(throw_message);
  weft::shared_mutex mutex;

  EXPECT_THROW(mutex.unlock(), std::logic_error);
  EXPECT_THROW(mutex.unlock_shared(), std::logic_error);

  weft::set_assert_handler(before);
}
#endif

}  // namespace shared_mutex_test
