// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Latches: who passes when, and how long they must live.
#include "weft/tasks/latch.hpp"

#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "tasks/on_workers.hpp"

namespace latch_test {

class Latch : public weft::test::OnWorkers {};

TEST_P(Latch, opens_when_all_have_arrived) {
  constexpr int num_users = 20;
  for (int round = 0; round < 20; ++round) {
    weft::latch all_here(num_users);
    std::atomic<int> num_here{0};

    run_tasks_and_threads(num_users, [&](int) {
      ++num_here;
      all_here.arrive_and_wait();
      EXPECT_EQ(num_here, num_users);
    });

    EXPECT_TRUE(all_here.try_wait());
  }
}

TEST_P(Latch, stays_closed_until_then) {
  weft::latch latch(2);
  EXPECT_FALSE(latch.try_wait());
  latch.count_down();
  EXPECT_FALSE(latch.try_wait());
  latch.count_down();
  latch.wait();
  EXPECT_TRUE(weft::latch(0).try_wait());
}

TEST_P(Latch, may_be_destroyed_by_a_waiter_that_returned) {
  for (int round = 0; round < 300; ++round) {
    auto latch = std::make_unique<weft::latch>(1);
    run_tasks(2, [&](int i) {
      if (i == 0) {
        latch->wait();
        latch.reset();
      } else {
        latch->count_down();
      }
    });
    ASSERT_EQ(latch, nullptr);
  }
}

WEFT_TEST_ON_WORKERS(Latch);

}  // namespace latch_test
