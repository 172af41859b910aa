// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spin locks: exclusion, also with a holder that is suspended.
#include "weft/tasks/spinlock.hpp"

#include <mutex>

#include <gtest/gtest.h>

#include "weft/tasks/this_task.hpp"

#include "tasks/on_workers.hpp"

namespace spinlock_test {

class Spinlock : public weft::test::OnWorkers {};

TEST_P(Spinlock, excludes_all_others) {
  weft::spinlock lock;
  int inside = 0;
  long sum = 0;

  run_tasks_and_threads(8, [&](int) {
    for (int round = 0; round < 300; ++round) {
      const std::lock_guard guard(lock);
      ASSERT_EQ(++inside, 1);
      ++sum;
      --inside;
    }
  });

  EXPECT_EQ(sum, 8 * 300);
}

TEST_P(Spinlock, a_holder_that_is_suspended_gets_its_turn) {
  weft::spinlock lock;
  long sum = 0;

  run_tasks(8, [&](int) {
    for (int round = 0; round < 20; ++round) {
      const std::lock_guard guard(lock);
      weft::this_task::yield();
      ++sum;
    }
  });

  EXPECT_EQ(sum, 8 * 20);
}

WEFT_TEST_ON_WORKERS(Spinlock);

}  // namespace spinlock_test
