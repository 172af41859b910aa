// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about parallel regions.
#include "weft/execution/fork_join_executor.hpp"

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/execution/async.hpp"
#include "weft/execution/executor.hpp"
#include "weft/execution/parallel_executor.hpp"
#include "weft/tasks/futures.hpp"
#include "weft/tasks/runtime.hpp"

#include "tasks/with_workers.hpp"

namespace fork_join_executor_test {

using weft::execution::bulk_sync_execute;
using weft::execution::fork_join_executor;
using weft::execution::loop_schedule;
using weft::test::with_workers;

constexpr std::chrono::nanoseconds short_delay = std::chrono::microseconds(50);

TEST(ForkJoinExecutor, every_worker_has_its_part) {
  weft::runtime home(with_workers(3));
  const fork_join_executor where(home, {.yield_delay = std::chrono::seconds(10)});
  ASSERT_EQ(where.num_workers(), 3u);

  // Each part waits for the others: only different threads can end this.
  std::barrier all_here(3);
  for (int region = 0; region < 50; ++region) {
    std::vector<std::thread::id> threads(3);
    bulk_sync_execute(
        where,
        [&](std::size_t i) {
          threads[i] = std::this_thread::get_id();
          all_here.arrive_and_wait();
        },
        3);
    EXPECT_EQ(threads[0], std::this_thread::get_id());
    EXPECT_EQ(std::set(threads.begin(), threads.end()).size(), 3u);
  }
}

TEST(ForkJoinExecutor, calls_every_index_once_under_both_schedules) {
  weft::runtime home(with_workers(3));
  for (const loop_schedule schedule : {loop_schedule::static_, loop_schedule::dynamic}) {
    const fork_join_executor where(home, {.schedule = schedule, .yield_delay = short_delay});
    for (const std::size_t n : {0U, 1U, 2U, 3U, 4U, 7U, 100U, 1000U}) {
      std::vector<std::atomic<int>> calls(n);
      bulk_sync_execute(where, [&](std::size_t i) { ++calls[i]; }, n);
      for (const std::atomic<int>& each : calls) {
        EXPECT_EQ(each, 1);
      }
    }
    EXPECT_THAT(
        bulk_sync_execute(where, [](int i) { return 2 * i; }, 3), testing::ElementsAre(0, 2, 4));
  }
}

TEST(ForkJoinExecutor, the_exception_of_the_first_part_arrives) {
  weft::runtime home(with_workers(2));
  const fork_join_executor where(home, {.yield_delay = short_delay});
  const auto fails = [](int i) { throw std::runtime_error(std::to_string(i)); };

  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT([&] { bulk_sync_execute(where, fails, 10); },
                testing::ThrowsMessage<std::runtime_error>(testing::StrEq("0")));
  }
}

TEST(ForkJoinExecutor, workers_that_left_come_back) {
  weft::runtime home(with_workers(2));
  const fork_join_executor where(home, {.yield_delay = std::chrono::nanoseconds(0)});
  std::atomic<int> sum{0};

  for (int i = 0; i < 500; ++i) {
    bulk_sync_execute(where, [&](int k) { sum += k; }, 4);
    if (i % 50 == 0) {
      EXPECT_EQ(weft::async(where, [] { return 1; }).get(), 1);  // they do other tasks, too
    }
  }

  EXPECT_EQ(sum, 500 * 6);
}

TEST(ForkJoinExecutor, regions_may_be_nested_and_come_from_several_threads) {
  weft::runtime home(with_workers(3));
  const fork_join_executor where(home, {.yield_delay = short_delay});
  std::atomic<int> sum{0};
  const auto nested = [&] {
    for (int k = 0; k < 20; ++k) {
      bulk_sync_execute(
          where, [&](int) { bulk_sync_execute(where, [&](int i) { sum += i; }, 5); }, 4);
    }
  };

  std::thread other(nested);
  home.run(nested);
  other.join();

  EXPECT_EQ(sum, 2 * 20 * 4 * 10);
}

TEST(ForkJoinExecutor, a_region_ends_though_no_worker_comes) {
  weft::runtime home(with_workers(1));
  auto occupied = weft::async(weft::execution::parallel_executor(home), [&] {
    std::atomic<int> sum{0};
    const fork_join_executor where(home, {.yield_delay = short_delay});
    bulk_sync_execute(where, [&](int i) { sum += i; }, 10);
    return sum.load();
  });

  EXPECT_EQ(occupied.get(), 45);
}

TEST(ForkJoinExecutor, algorithms_run_on_it) {
  weft::runtime home(with_workers(2));
  const fork_join_executor where(home, {.yield_delay = short_delay});
  std::vector<int> values(50'000, 0);

  for (int i = 0; i < 20; ++i) {
    weft::for_each(weft::par.on(where).with(weft::static_chunk_size{1000}),
                   values.begin(),
                   values.end(),
                   [](int& each) { ++each; });
  }

  EXPECT_THAT(values, testing::Each(20));
}

}  // namespace fork_join_executor_test
