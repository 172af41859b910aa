// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms as senders, and in chains of them.
#include "weft/algorithms/senders.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/algorithms/find.hpp"
#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/ranges/for_each.hpp"
#include "weft/algorithms/reduce.hpp"
#include "weft/execution/any_sender.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/runtime_scheduler.hpp"  // IWYU pragma: keep
#include "weft/execution/starts_on.hpp"
#include "weft/execution/sync_wait.hpp"
#include "weft/execution/then.hpp"
#include "weft/execution/when_all.hpp"
#include "weft/tasks/runtime.hpp"

#include "tests/tasks/with_workers.hpp"

namespace senders_test {

namespace ex = weft::execution;
using testing::Each;
using weft::as_sender;
using weft::par;
using weft::this_thread::sync_wait;

using weft::test::with_workers;

TEST(AsSender, runs_when_it_is_started) {
  std::vector<int> values(100'000, 1);

  auto work = weft::for_each(par(as_sender), values.begin(), values.end(), [](int& v) { ++v; });

  EXPECT_TRUE((std::is_same_v<decltype(work), ex::any_sender<>>));
  EXPECT_THAT(values, Each(1));
  EXPECT_TRUE(sync_wait(std::move(work)).has_value());
  EXPECT_THAT(values, Each(2));
}

TEST(AsSender, sends_what_the_algorithm_returns) {
  std::vector<int> values(10'000);
  std::iota(values.begin(), values.end(), 0);

  auto both = ex::when_all(weft::reduce(par(as_sender), values.begin(), values.end(), 0),
                           weft::find(par(as_sender), values.begin(), values.end(), 77) |
                               ex::then([&](auto at) { return at - values.begin(); }));

  EXPECT_EQ(sync_wait(std::move(both)), std::optional(std::tuple(49'995'000, 77L)));
}

TEST(AsSender, ranges_are_kept_by_reference) {
  std::vector<int> values(1'000, 1);

  auto work = weft::ranges::for_each(par(as_sender), values, [](int& v) { v += 2; });

  EXPECT_TRUE(sync_wait(std::move(work)).has_value());
  EXPECT_THAT(values, Each(3));
}

TEST(AsSender, exceptions_are_errors) {
  std::vector<int> values(1'000, 1);

  auto work = weft::for_each(
      par(as_sender), values.begin(), values.end(), [](int) { throw std::out_of_range("far"); });

  EXPECT_THROW(sync_wait(std::move(work)), std::out_of_range);
}

TEST(AsSender, runs_where_it_is_started_with_the_workers_of_its_policy) {
  weft::runtime pool(with_workers(2));
  std::vector<int> values(10'000, 1);
  std::atomic<bool> is_outside{false};
  const auto caller = std::this_thread::get_id();

  auto work = weft::for_each(par(as_sender), values.begin(), values.end(), [&](int& v) {
    ++v;
    if (std::this_thread::get_id() == caller) {
      is_outside = true;
    }
  });
  sync_wait(ex::starts_on(pool.get_scheduler(), std::move(work)));

  EXPECT_THAT(values, Each(2));
  EXPECT_FALSE(is_outside);
}

TEST(Piped, arguments_come_through_a_pipe) {
  std::vector<int> values(10'000, 1);

  auto work = ex::just(values.begin(), values.end(), [](int& v) { ++v; }) | weft::for_each(par);

  EXPECT_THAT(values, Each(1));
  EXPECT_TRUE(sync_wait(std::move(work)).has_value());
  EXPECT_THAT(values, Each(2));
}

TEST(Piped, results_are_sent_on) {
  std::vector<int> values{5, 1, 4, 2, 3};

  auto work = ex::just(values.begin(), values.end()) | weft::sort(par) |
              ex::then([&] { return std::tuple(values.begin(), values.end(), 0); }) |
              ex::then([](auto all) {
                return std::apply([](auto... each) { return weft::reduce(par, each...); }, all);
              });

  EXPECT_EQ(sync_wait(std::move(work)), std::optional(std::tuple(15)));
  EXPECT_THAT(values, testing::ElementsAre(1, 2, 3, 4, 5));
}

TEST(Piped, exceptions_are_errors) {
  std::vector<int> values(100, 1);

  auto work = ex::just(values.begin(), values.end(), [](int) { throw std::out_of_range("far"); }) |
              weft::for_each(par);

  EXPECT_THROW(sync_wait(std::move(work)), std::out_of_range);
}

TEST(Piped, every_kind_of_algorithm_takes_a_policy_alone) {
  std::vector<int> from(1'000, 2);
  std::vector<int> to(1'000);
  const auto value_of = [](auto sender) {
    return std::get<0>(sync_wait(std::move(sender)).value());
  };

  EXPECT_EQ(value_of(ex::just(from.begin(), from.end(), 2) | weft::count(par)), 1'000);
  EXPECT_EQ(value_of(ex::just(from.begin(), from.end(), to.begin()) | weft::inclusive_scan(par)),
            to.end());
  EXPECT_EQ(to.back(), 2'000);
  EXPECT_EQ(
      value_of(ex::just(from.begin(), from.end(), to.begin()) | weft::uninitialized_copy(par)),
      to.end());
  EXPECT_EQ(to, from);
}

TEST(Piped, a_policy_may_ask_for_a_future) {
  std::vector<int> values(1'000, 1);

  auto work = ex::just(values.begin(), values.end(), 0) | weft::reduce(par(weft::as_future));

  EXPECT_EQ(std::get<0>(sync_wait(std::move(work)).value()).get(), 1'000);
}

}  // namespace senders_test
