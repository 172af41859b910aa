// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// when_all and when_any: values together, the first error, stops, and each completion exactly once.
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/let.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/read_env.hpp"
#include "weft/execution/run_loop.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/execution/sync_wait.hpp"
#include "weft/execution/then.hpp"
#include "weft/execution/when_all.hpp"
#include "weft/execution/when_all_range.hpp"  // IWYU pragma: keep: when_all of a range
#include "weft/execution/when_any.hpp"
#include "weft/execution/write_env.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "execution/probe.hpp"

namespace weft::execution {
namespace joint_test {

using test::expect_error;
using test::expect_stopped;
using test::expect_value;

TEST(WhenAll, sends_all_values_in_order) {
  const auto sent = sync_wait(when_all(just(1), just(), just(std::string("x"), 2.5)));
  EXPECT_EQ(sent.value(), std::tuple(1, std::string("x"), 2.5));
  EXPECT_FALSE(std::invocable<when_all_t>);
  expect_value(
      when_all(just(std::make_unique<int>(2))) | then([](std::unique_ptr<int> p) { return *p; }),
      2);
}

TEST(WhenAll, the_first_error_is_sent_and_stops_win_over_values) {
  expect_error(when_all(just(1), just_error(2), just_error(3)), "2");
  expect_stopped(when_all(just(1), just_stopped()));
  expect_error(when_all(just_stopped(), just_error(4)), "4");
}

TEST(WhenAll, others_are_asked_to_stop) {
  const auto asked = read_env(get_stop_token) |
                     then([](auto token) noexcept { return token.stop_requested() ? 1 : 0; });
  int was_asked = -1;
  expect_error(when_all(just_error(1), asked | then([&](int x) noexcept { was_asked = x; })), "1");
  EXPECT_EQ(was_asked, 1);
  expect_value(when_all(asked, asked), 0);
}

TEST(WhenAll, a_stop_from_outside_reaches_the_children) {
  inplace_stop_source source;
  source.request_stop();
  const auto asked = read_env(get_stop_token) |
                     then([](auto token) noexcept { return token.stop_requested() ? 1 : 0; });
  const prop told(get_stop_token, source.get_token());
  test::outcome of_values;
  auto goes_on = connect(when_all(asked, just(5)), test::probe(&of_values, told));
  goes_on.start();
  test::outcome of_stops;
  run_loop loop;
  auto stops =
      connect(when_all(just(5), schedule(loop.get_scheduler())), test::probe(&of_stops, told));
  stops.start();
  loop.finish();
  loop.run();

  EXPECT_EQ(of_values.value, 1 + 5);
  EXPECT_EQ(of_values.num_completions(), 1);
  EXPECT_EQ(of_stops.num_stops, 1);
  EXPECT_EQ(of_stops.num_completions(), 1);
}

TEST(WhenAll, is_stopped_only_if_a_child_may_be) {
  using all_end = decltype(when_all(just(1), just('x')));
  using one_stops = decltype(when_all(just(1), just_stopped()));
  EXPECT_FALSE(sends_stopped<all_end>);
  EXPECT_TRUE(sends_stopped<one_stops>);
  EXPECT_FALSE(sends_stopped<decltype(when_all(std::vector{just(1)}))>);
}

/// Its receivers know their environment by reference.
struct env_that_stays {
  env_that_stays() = default;
  env_that_stays(const env_that_stays&) = delete;
  env_that_stays& operator=(const env_that_stays&) = delete;
  ~env_that_stays() = default;
  [[nodiscard]] never_stop_token query(get_stop_token_t /*key*/) const noexcept { return {}; }
};
struct knows_by_reference {
  using receiver_concept = receiver_tag;
  void set_value(auto&&... values) noexcept { *sum = (0 + ... + values); }
  void set_error(auto&& /*error*/) noexcept {}
  void set_stopped() noexcept {}
  [[nodiscard]] const env_that_stays& get_env() const noexcept { return *environment; }
  const env_that_stays* environment;
  int* sum;
};

TEST(WhenAll, leaves_an_environment_that_cannot_be_copied_where_it_is) {
  const env_that_stays environment;
  int sum = 0;
  auto all = connect(when_all(just(1), just(2)), knows_by_reference{&environment, &sum});
  all.start();
  EXPECT_EQ(sum, 3);
  auto any = connect(when_any(just(4)), knows_by_reference{&environment, &sum});
  any.start();
  EXPECT_EQ(sum, 4);
}

TEST(WhenAll, with_variant_takes_several_kinds) {
  const auto sent = sync_wait(when_all_with_variant(just(1), just()));
  EXPECT_EQ(std::get<0>(std::get<0>(std::get<0>(sent.value()))), 1);
}

TEST(WhenAllRange, a_range_sends_a_vector) {
  std::vector<decltype(just(0))> numbers;
  numbers.reserve(5);
  for (int i = 0; i < 5; ++i) {
    numbers.push_back(just(i * i));
  }
  const auto sent = sync_wait(when_all(numbers));
  EXPECT_EQ(std::get<0>(sent.value()), (std::vector<int>{0, 1, 4, 9, 16}));
  EXPECT_TRUE(std::get<0>(sync_wait(when_all(std::vector<decltype(just(0))>())).value()).empty());
  EXPECT_TRUE(sync_wait(when_all(std::vector<decltype(just())>(3, just()))).has_value());
  expect_error(when_all(std::vector<decltype(just_error(1))>{just_error(1), just_error(2)}), "1");
}

TEST(WhenAny, the_first_value_wins) {
  run_loop loop;
  const auto late = schedule(loop.get_scheduler()) | then([] { return 2; });
  test::outcome result;
  auto operation = connect(when_any(late, just(1)), test::probe(&result));
  operation.start();
  EXPECT_EQ(result.num_completions(), 0);
  loop.finish();
  loop.run();

  EXPECT_EQ(result.num_completions(), 1);
  EXPECT_EQ(result.value, 1);
  expect_error(when_any(just_stopped(), just_error(3)), "3");
  expect_stopped(when_any(just_stopped(), just_stopped()));
}

/// All kinds of ends at random times: one completion each, and nothing is lost.
TEST(Schedules, every_operation_completes_once) {
  runtime_options options;
  options.workers = 3;
  runtime pool(options);
  constexpr int rounds = 300;
  std::array<std::atomic<int>, 4> starts{};
  std::array<std::atomic<int>, 4> ends{};
  const auto s = pool.get_scheduler();
  const auto fails = [](int i, int round) { return (round + i) % 7 == 3; };
  for (int round = 0; round < rounds; ++round) {
    const auto piece = [&](int i) {
      auto work = schedule(s) | let_value([&fails, i, round] {
                    return just() | then([&fails, i, round] {
                             if (fails(i, round)) {
                               throw std::runtime_error("odd");
                             }
                             return i;
                           });
                  });
      std::atomic<int>& start_count = starts.at(static_cast<std::size_t>(i));
      std::atomic<int>& end_count = ends.at(static_cast<std::size_t>(i));
      return just() | let_value([&start_count, work] {
               ++start_count;
               return work;
             }) |
             then([&end_count](int x) {
               ++end_count;
               return x;
             }) |
             let_error([&end_count](std::exception_ptr& error) {
               ++end_count;
               return just_error(error);
             }) |
             let_stopped([&end_count] {
               ++end_count;
               return just_stopped();
             });
    };
    bool has_failed = false;
    try {
      const auto sent = sync_wait(when_all(piece(0), piece(1), when_any(piece(2), piece(3))));
      ASSERT_TRUE(sent.has_value());
      EXPECT_EQ(std::get<0>(*sent) + std::get<1>(*sent), 1);
    } catch (const std::runtime_error&) {
      has_failed = true;
    }
    const bool must_fail = fails(0, round) || fails(1, round);
    const bool may_fail = must_fail || fails(2, round) || fails(3, round);
    EXPECT_TRUE(has_failed ? may_fail : !must_fail) << "round " << round;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      EXPECT_EQ(ends.at(i), starts.at(i)) << "piece " << i << " of round " << round;
    }
  }
  EXPECT_EQ(ends.at(0), rounds);
}

TEST(Schedules, stop_races_with_completion) {
  runtime_options options;
  options.workers = 2;
  runtime pool(options);
  constexpr int rounds = 300;
  std::atomic<int> ends = 0;
  for (int round = 0; round < rounds; ++round) {
    inplace_stop_source source;
    auto work = schedule(pool.get_scheduler()) | then([] { return 1; });
    auto stops = schedule(pool.get_scheduler()) | then([&source] { source.request_stop(); });
    const auto sent = sync_wait(
        when_all(when_all(work, work) | write_env(prop(get_stop_token, source.get_token())) |
                     then([&](int, int) { ++ends; }) | upon_stopped([&] { ++ends; }),
                 stops));
    ASSERT_TRUE(sent.has_value());
  }
  EXPECT_EQ(ends, rounds);
}

}  // namespace joint_test
}  // namespace weft::execution
