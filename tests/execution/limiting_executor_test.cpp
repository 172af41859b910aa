// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about limits.
#include "weft/execution/limiting_executor.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/algorithms/as_sender.hpp"  // IWYU pragma: keep: policies of senders
#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/ranges/for_each.hpp"
#include "weft/base/error.hpp"
#include "weft/execution/async.hpp"
#include "weft/execution/executor.hpp"
#include "weft/execution/parallel_executor.hpp"
#include "weft/execution/sync_wait.hpp"
#include "weft/tasks/event.hpp"
#include "weft/tasks/futures.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/this_task.hpp"

#include "tasks/with_workers.hpp"

namespace limiting_executor_test {

using weft::execution::limiting_executor;
using weft::execution::parallel_executor;
using weft::test::with_workers;

/// How many are in it now, and how many were at most.
class busy_counter {
 public:
  void enter() noexcept {
    const int now = ++now_;
    int most = most_.load();
    while (most < now && !most_.compare_exchange_weak(most, now)) {
    }
  }
  void leave() noexcept { --now_; }
  [[nodiscard]] int most() const noexcept { return most_; }

 private:
  std::atomic<int> now_{0};
  std::atomic<int> most_{0};
};

TEST(LimitingExecutor, never_more_than_the_limit_run_at_once) {
  weft::runtime home(with_workers(4));
  const limiting_executor where(parallel_executor(home), 3);
  busy_counter busy;
  std::atomic<int> num_run{0};
  const auto work = [&] {
    busy.enter();
    weft::this_task::yield();  // others have every chance to come in between
    ++num_run;
    busy.leave();
  };

  std::vector<std::thread> submitters;
  submitters.reserve(3);
  for (int i = 0; i < 3; ++i) {
    submitters.emplace_back([&] {
      for (int k = 0; k < 300; ++k) {
        weft::post(where, work);
        static_cast<void>(weft::async(where, work));
        static_cast<void>(
            weft::make_ready_future().then(where, [&](weft::future<void>) { work(); }));
        weft::sync(where, work);
      }
    });
  }
  for (std::thread& each : submitters) {
    each.join();
  }
  home.run([&] {});
  while (num_run < 3 * 300 * 4) {
    where.wait();
  }

  EXPECT_LE(busy.most(), 3);
  EXPECT_GE(busy.most(), 2);  // else the test would say nothing about the limit
  EXPECT_EQ(where.in_flight(), 0u);
}

TEST(LimitingExecutor, whoever_starts_one_too_many_waits) {
  weft::runtime home(with_workers(2));
  const limiting_executor where(parallel_executor(home), 1);
  weft::event may_end;
  weft::event is_about_to_start;
  std::atomic<bool> is_second_started{false};

  auto first = weft::async(where, [&] { may_end.wait(); });
  auto starter = weft::async([&] {
    is_about_to_start.set();
    auto second = weft::async(where, [] {});
    is_second_started = true;
    second.get();
  });
  is_about_to_start.wait();
  weft::this_task::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(is_second_started);
  may_end.set();
  first.get();
  starter.get();

  EXPECT_TRUE(is_second_started);
}

TEST(LimitingExecutor, a_full_one_takes_no_more_until_the_lower_threshold) {
  weft::runtime home(with_workers(2));
  const limiting_executor where(parallel_executor(home), 0, 2);
  weft::event first_may_end;
  weft::event second_may_end;

  auto first = weft::async(where, [&] { first_may_end.wait(); });
  auto second = weft::async(where, [&] { second_may_end.wait(); });
  first_may_end.set();
  first.get();
  while (where.in_flight() != 1) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(where.try_execute([] {}));
  second_may_end.set();
  second.get();
  where.wait();

  EXPECT_TRUE(where.try_execute([] {}));
  where.wait();
}

TEST(LimitingExecutor, a_call_that_throws_leaves_its_place) {
  const limiting_executor where(parallel_executor(), 1);

  EXPECT_THROW(weft::async(where, [] { throw std::runtime_error("no"); }).get(),
               std::runtime_error);
  EXPECT_THROW(weft::sync(where, [] { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(weft::async(where, [] { return 1; }).get(), 1);
  where.wait();
}

TEST(LimitingExecutor, algorithms_keep_to_the_limit) {
  weft::runtime home(with_workers(4));
  const limiting_executor where(parallel_executor(home), 2);
  busy_counter busy;
  std::vector<int> values(400, 1);

  for (int i = 0; i < 20; ++i) {
    weft::for_each(weft::par.on(where).with(weft::static_chunk_size{10}),
                   values.begin(),
                   values.end(),
                   [&](int& each) {
                     busy.enter();
                     std::this_thread::yield();
                     ++each;
                     busy.leave();
                   });
  }

  EXPECT_LE(busy.most(), 2);
  EXPECT_THAT(values, testing::Each(21));
}

TEST(LimitingExecutor, refuses_limits_that_let_nothing_through) {
  using testing::HasSubstr;
  EXPECT_THAT([] { limiting_executor(parallel_executor(), 0); },
              testing::ThrowsMessage<weft::error>(HasSubstr("upper threshold is 1 at least")));
  EXPECT_THROW(limiting_executor(parallel_executor(), 3, 3), weft::error);
}

TEST(LimitingExecutor, algorithms_that_run_later_count_their_caller_once) {
  const weft::execution::limiting_executor one(weft::execution::parallel_executor(), 1);
  const auto add = [](int& v) { ++v; };
  std::vector<int> values(1'000, 0);
  const auto later = weft::par.on(one)(weft::as_future);

  weft::for_each(later, values.begin(), values.end(), add).get();
  static_cast<void>(weft::ranges::for_each(later, values, add).get());
  weft::this_thread::sync_wait(
      weft::ranges::for_each(weft::par.on(one)(weft::as_sender), values, add));

  EXPECT_EQ(std::count(values.begin(), values.end(), 3), 1'000);
  EXPECT_EQ(one.in_flight(), 0U);
}

}  // namespace limiting_executor_test
