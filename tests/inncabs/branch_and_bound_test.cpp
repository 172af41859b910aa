// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tasks of a search share: no improvement is lost, no task is made beyond the limit.
#include "lab/inncabs/branch_and_bound.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace weft::lab::inncabs {
namespace branch_and_bound_test {

constexpr std::int64_t num_offers = 20'000;
constexpr std::int64_t num_threads = 4;

/// Calls `body(thread)` in each of `num_threads` threads.
void in_threads(const auto& body) {
  std::vector<std::thread> threads;
  threads.reserve(num_threads);
  for (std::int64_t i = 0; i < num_threads; ++i) {
    threads.emplace_back([&body, i] { body(i); });
  }
  for (std::thread& each : threads) {
    each.join();
  }
}

TEST(FetchMin, lowers_and_tells_whether_it_did) {
  std::atomic<std::int64_t> value{5};

  EXPECT_FALSE(fetch_min(value, std::int64_t{6}));
  EXPECT_FALSE(fetch_min(value, std::int64_t{5}));
  EXPECT_TRUE(fetch_min(value, std::int64_t{4}));
  EXPECT_EQ(value.load(), 4);
}

TEST(FetchMin, only_one_of_equal_values_lowers) {
  std::atomic<std::int64_t> value{num_offers};
  std::atomic<std::int64_t> num_lowered{0};

  in_threads([&](std::int64_t /*thread*/) {
    for (std::int64_t next = num_offers; next-- > 0;) {
      num_lowered += fetch_min(value, next) ? 1 : 0;
    }
  });

  EXPECT_EQ(value.load(), 0);
  EXPECT_LE(num_lowered.load(), num_offers);
}

TEST(Incumbent, solution_is_that_of_the_least_cost_whoever_offers_it) {
  incumbent<std::int64_t> best(num_threads * num_offers);

  in_threads([&](std::int64_t thread) {
    for (std::int64_t i = num_offers; i-- > 0;) {
      const std::int64_t cost = i * num_threads + thread;
      best.offer(cost, -cost);
    }
  });

  EXPECT_EQ(best.bound(), 0);
  EXPECT_EQ(best.cost(), 0);
  EXPECT_EQ(best.solution(), 0);
}

TEST(Incumbent, worse_and_equal_offers_change_nothing) {
  incumbent<char> best(10);

  best.offer(10, 'a');
  EXPECT_EQ(best.cost(), 10);
  best.offer(3, 'b');
  best.offer(3, 'c');
  best.offer(4, 'd');

  EXPECT_EQ(best.cost(), 3);
  EXPECT_EQ(best.solution(), 'b');
}

TEST(TaskBudget, gives_exactly_its_limit_to_all_threads_together) {
  task_budget budget(num_offers);
  std::atomic<std::int64_t> num_taken{0};

  in_threads([&](std::int64_t /*thread*/) {
    for (std::int64_t i = 0; i < num_offers; ++i) {
      num_taken += budget.take() ? 1 : 0;
    }
  });

  EXPECT_EQ(num_taken.load(), num_offers);
  EXPECT_TRUE(budget.is_exceeded());
}

TEST(TaskBudget, is_not_exceeded_by_its_last_task) {
  task_budget budget(1);

  EXPECT_TRUE(budget.take());
  EXPECT_FALSE(budget.is_exceeded());
  EXPECT_FALSE(budget.take());
  EXPECT_TRUE(budget.is_exceeded());
}

TEST(TaskBudget, without_limit_never_ends) {
  task_budget budget(std::nullopt);

  for (std::int64_t i = 0; i < num_offers; ++i) {
    ASSERT_TRUE(budget.take());
  }
  EXPECT_FALSE(budget.is_exceeded());
}

}  // namespace branch_and_bound_test
}  // namespace weft::lab::inncabs
