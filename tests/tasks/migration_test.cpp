// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every suspended task wakes up on another worker than it fell asleep on: nothing may depend on the
// thread across a wait.
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "weft/tasks/async.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/parallel_for.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/semaphore.hpp"
#include "weft/tasks/task_group.hpp"

#include "tasks/disturb.hpp"
#include "tests/tasks/with_workers.hpp"

namespace migration_test {

class Migration : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    weft::tests::set_disturbance({});
    weft::tests::force_migration(true);
  }
  void TearDown() override { weft::tests::force_migration(false); }
  weft::runtime runtime{weft::test::with_workers(GetParam())};
};

/// The worker's number; std::this_thread::get_id() would be read once and kept across a wait.
unsigned here() { return weft::tasks::detail::self()->index; }

/// A rendezvous of two tasks: both are suspended at least once.
void exchange_turns(int num_turns, std::atomic<int>& num_moves) {
  weft::binary_semaphore ping(0);
  weft::binary_semaphore pong(0);
  weft::task_group group;
  group.run([&] {
    for (int i = 0; i < num_turns; ++i) {
      ping.acquire();
      pong.release();
    }
  });
  for (int i = 0; i < num_turns; ++i) {
    const unsigned before = here();
    ping.release();
    pong.acquire();
    num_moves += here() != before ? 1 : 0;
  }
  group.wait();
}

TEST_P(Migration, really_happens) {
  std::atomic<int> num_moves{0};

  runtime.run([&] { exchange_turns(50, num_moves); });

  EXPECT_GT(num_moves.load(), 10);
}

TEST_P(Migration, a_caught_exception_stays_with_its_task) {
  runtime.run([&] {
    weft::parallel_for(20,
                       [](std::size_t i) {
                         std::atomic<int> num_moves{0};
                         try {
                           throw std::out_of_range(std::to_string(i));
                         } catch (const std::out_of_range&) {
                           exchange_turns(10, num_moves);
                           try {
                             throw;
                           } catch (const std::out_of_range& again) {
                             EXPECT_EQ(again.what(), std::to_string(i));
                           }
                         }
                         EXPECT_EQ(std::uncaught_exceptions(), 0);
                       },
                       {.grain = 1});
  });
}

long fib_locked(int n, weft::mutex& mutex, long& num_calls) {
  {
    const std::lock_guard guard(mutex);
    ++num_calls;
  }
  if (n < 2) {
    return n;
  }
  auto x = weft::async([&, n] { return fib_locked(n - 1, mutex, num_calls); });
  auto [y, nothing] =
      weft::fork_join([&, n] { return fib_locked(n - 2, mutex, num_calls); }, [] {});
  return x.get() + y;
}

TEST_P(Migration, futures_forks_and_locks_agree_with_the_serial_answer) {
  weft::mutex mutex;
  long num_calls = 0;

  EXPECT_EQ(runtime.run([&] { return fib_locked(14, mutex, num_calls); }), 377);
  EXPECT_EQ(num_calls, 1219);
}

INSTANTIATE_TEST_SUITE_P(Workers, Migration, testing::Values(2, 4, 16));

}  // namespace migration_test
