// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stop requests that follow calls to other ranks.
#include "weft/distributed/stoppable.hpp"

#include <atomic>
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "weft/distributed/locality.hpp"
#include "weft/distributed/remote.hpp"
#include "weft/execution/lazy_task.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/stop_token.hpp"
#include "weft/tasks/task_group.hpp"
#include "weft/tasks/this_task.hpp"

#include "tests/distributed/ranks.hpp"

namespace wd = weft::distributed;
using weft::execution::operation_stopped;

namespace stoppable_test {
namespace {

std::atomic<int> num_running{0};

void wait_for_stop() {
  ++num_running;
  while (!weft::this_task::stop_requested()) {
    weft::this_task::yield();
  }
}
int until_stopped() {
  wait_for_stop();
  return wd::here().rank();
}
[[noreturn]] void stops_itself() {
  wait_for_stop();
  throw operation_stopped();
}
/// The parts of a call are canceled with it.
void in_a_group() {
  weft::task_group inner;
  inner.run([] { wait_for_stop(); });
  inner.wait();
}
/// Passes the request on.
int on_next_rank(int rank) {
  return wd::async<&until_stopped>(
             wd::stoppable(wd::locality(rank), weft::this_task::get_stop_token()))
      .get();
}
int quick(int x) { return x + 1; }

struct loop {
  int run(int x) const {  // NOLINT(*-to-static): called as a member
    wait_for_stop();
    return x;
  }
};

template <class F>
void on_first_of_three(F body) {
  num_running = 0;
  weft::test::ranks_options options;
  options.size = 3;
  options.longest_delay = std::chrono::microseconds(100);
  weft::test::ranks job(options);
  job.run([&] {
    if (wd::here().rank() == 0) {
      body();
    }
  });
}

void wait_until_running(int count) {
  while (num_running < count) {
    weft::this_task::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace

TEST(Stoppable, a_running_call_sees_the_request) {
  on_first_of_three([] {
    for (const int rank : {0, 1}) {
      const weft::stop_source stop;
      auto answer = wd::async<&until_stopped>(wd::stoppable(wd::locality(rank), stop.get_token()));
      wait_until_running(rank + 1);
      EXPECT_FALSE(answer.is_ready());
      stop.request_stop();
      EXPECT_EQ(answer.get(), rank);
    }
  });
}

TEST(Stoppable, the_answer_may_be_operation_stopped) {
  on_first_of_three([] {
    const weft::stop_source stop;
    auto answer = wd::async<&stops_itself>(wd::stoppable(wd::locality(1), stop.get_token()));
    wait_until_running(1);
    stop.request_stop();
    EXPECT_THROW(answer.get(), operation_stopped);
  });
}

TEST(Stoppable, a_call_that_is_stopped_before_does_not_begin) {
  on_first_of_three([] {
    const weft::stop_source stop;
    stop.request_stop();
    auto answer = wd::async<&until_stopped>(wd::stoppable(wd::locality(1), stop.get_token()));
    EXPECT_THROW(answer.get(), operation_stopped);
    EXPECT_EQ(num_running, 0);
  });
}

TEST(Stoppable, a_request_that_comes_too_late_changes_nothing) {
  on_first_of_three([] {
    const weft::stop_source stop;
    auto answer = wd::async<&quick>(wd::stoppable(wd::locality(1), stop.get_token()), 4);
    answer.wait();
    stop.request_stop();
    EXPECT_EQ(answer.get(), 5);
  });
}

TEST(Stoppable, a_rank_without_a_free_worker_takes_the_request) {
  num_running = 0;
  weft::test::ranks job({.size = 2, .workers = 1});
  job.run([] {
    if (wd::here().rank() == 0) {
      const weft::stop_source stop;
      const auto spin = [] {
        ++num_running;
        while (!weft::this_task::stop_requested()) {
        }
        return wd::here().rank();
      };
      auto answer = wd::async(wd::stoppable(wd::locality(1), stop.get_token()), spin);
      wait_until_running(1);
      stop.request_stop();
      EXPECT_EQ(answer.get(), 1);
    }
  });
}

TEST(Stoppable, task_groups_within_the_call_are_canceled) {
  on_first_of_three([] {
    const weft::stop_source stop;
    auto answer = wd::async<&in_a_group>(wd::stoppable(wd::locality(1), stop.get_token()));
    wait_until_running(1);
    EXPECT_FALSE(answer.is_ready());
    stop.request_stop();
    EXPECT_NO_THROW(answer.get());
  });
}

TEST(Stoppable, a_call_passes_its_request_on) {
  on_first_of_three([] {
    const weft::stop_source stop;
    auto answer = wd::async<&on_next_rank>(wd::stoppable(wd::locality(1), stop.get_token()), 2);
    wait_until_running(1);
    stop.request_stop();
    EXPECT_EQ(answer.get(), 2);
  });
}

TEST(Stoppable, requests_follow_an_object) {
  on_first_of_three([] {
    const auto there = wd::make_remote<loop>(wd::locality(1)).get();
    for (int i = 0; i < 2; ++i) {
      const weft::stop_source stop;
      num_running = 0;
      auto answer = wd::stoppable(there, stop.get_token()).async<&loop::run>(6);
      wait_until_running(1);
      stop.request_stop();
      EXPECT_EQ(answer.get(), 6);
      wd::migrate(there, wd::locality(2)).get();
    }
  });
}

TEST(Stoppable, requests_race_with_answers) {
  on_first_of_three([] {
    int num_stopped = 0;
    int num_answered = 0;
    for (int i = 0; i < 500; ++i) {
      const weft::stop_source stop;
      auto answer = wd::async<&quick>(wd::stoppable(wd::locality(1 + i % 2), stop.get_token()), i);
      if (i % 3 == 0) {
        weft::this_task::yield();
      }
      stop.request_stop();
      try {
        EXPECT_EQ(answer.get(), i + 1);
        ++num_answered;
      } catch (const operation_stopped&) {
        ++num_stopped;
      }
    }
    EXPECT_EQ(num_stopped + num_answered, 500);
  });
}

}  // namespace stoppable_test
