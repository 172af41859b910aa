// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events: occurring, resetting, time limits.
#include "weft/tasks/event.hpp"

#include <atomic>
#include <chrono>
#include <memory>

#include <gtest/gtest.h>

#include "tasks/on_workers.hpp"

namespace event_test {

using namespace std::chrono_literals;

class Event : public weft::test::OnWorkers {};

TEST_P(Event, lets_all_pass_once_it_occurred) {
  weft::event ready;
  std::atomic<bool> is_set{false};

  run_tasks_and_threads(8, [&](int i) {
    if (i == 4) {
      is_set = true;
      ready.set();
    }
    ready.wait();
    EXPECT_TRUE(is_set);
  });

  EXPECT_TRUE(ready.occurred());
  ready.reset();
  EXPECT_FALSE(ready.occurred());
}

TEST_P(Event, a_time_limit_ends_the_wait) {
  weft::event never;

  run_tasks_and_threads(4, [&](int) {
    EXPECT_FALSE(never.wait_for(2ms));
    EXPECT_FALSE(never.wait_until(std::chrono::system_clock::now() + 1ms));
  });
  never.set();
  EXPECT_TRUE(never.wait_for(0s));
}

TEST_P(Event, may_be_destroyed_by_a_waiter_that_returned) {
  for (int round = 0; round < 300; ++round) {
    auto event = std::make_unique<weft::event>();
    run_tasks(2, [&](int i) {
      if (i == 0) {
        event->wait();
        event.reset();
      } else {
        event->set();
      }
    });
    ASSERT_EQ(event, nullptr);
  }
}

WEFT_TEST_ON_WORKERS(Event);

}  // namespace event_test
