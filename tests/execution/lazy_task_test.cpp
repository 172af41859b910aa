// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about tasks as senders, and senders in tasks.
#include "weft/execution/lazy_task.hpp"

#include <atomic>
#include <concepts>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/parallel_scheduler.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/read_env.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/execution/sync_wait.hpp"
#include "weft/execution/then.hpp"
#include "weft/tasks/coroutine_async.hpp"
#include "weft/tasks/coroutine_fork.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/this_task.hpp"

#include "tests/tasks/coroutine_helpers.hpp"
#include "tests/tasks/with_workers.hpp"

namespace lazy_task_test {

namespace ex = weft::execution;
using weft::lazy_task;
using weft::test::large_count;
using weft::test::with_workers;

/// How an operation ended.
struct ending {
  int num_values = 0;
  int num_stops = 0;
  std::string error;
  std::atomic<bool> has_ended{false};  // release, last of all: pairs with the acquire of who waits
};

template <class Token>
struct env_with_token {
  [[nodiscard]] Token query(ex::get_stop_token_t /*key*/) const noexcept { return token; }
  Token token;
};

template <class Token = weft::never_stop_token>
struct recorder {
  using receiver_concept = ex::receiver_tag;
  template <class... Values>
  void set_value(Values&&...) noexcept {
    ++to->num_values;
    end();
  }
  void set_error(const std::exception_ptr& raised) noexcept {
    try {
      std::rethrow_exception(raised);
    } catch (const std::exception& each) {
      to->error = each.what();
    }
    end();
  }
  void set_stopped() noexcept {
    ++to->num_stops;
    end();
  }
  void end() const noexcept { to->has_ended.store(true, std::memory_order_release); }
  [[nodiscard]] env_with_token<Token> get_env() const noexcept { return {token}; }
  ending* to;
  Token token = {};
};

static_assert(ex::sender<lazy_task<int>>);
static_assert(std::same_as<ex::completion_signatures_of_t<lazy_task<int>>,
                           ex::completion_signatures<ex::set_value_t(int),
                                                     ex::set_error_t(std::exception_ptr),
                                                     ex::set_stopped_t()>>);

lazy_task<int> adds(int a, int b) {
  const int left = co_await ex::just(a);
  auto [right, more] = co_await ex::just(b, 1);
  co_await ex::just();
  co_return left + right + more;
}

TEST(LazyTask, awaits_senders) { EXPECT_EQ(weft::blocking_wait(adds(1, 2)), 4); }

TEST(LazyTask, is_a_sender) {
  auto work = adds(1, 2);
  auto doubled = std::move(work) | ex::then([](int sum) { return 2 * sum; });

  const auto result = weft::this_thread::sync_wait(std::move(doubled));

  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(std::get<0>(*result), 8);
}

lazy_task<int> fails() {
  auto wrong = ex::just_error(std::make_exception_ptr(std::runtime_error("wrong")));
  co_await std::move(wrong);  // named: GCC PR 99576
  co_return 1;
}
lazy_task<int> throws() {
  co_await ex::just();
  throw std::runtime_error("thrown");
}

TEST(LazyTask, errors_of_senders_are_exceptions_and_the_other_way_round) {
  EXPECT_THROW(weft::blocking_wait(fails()), std::runtime_error);
  for (auto* body : {&fails, &throws}) {
    ending seen;
    auto operation = ex::connect(body(), recorder<>{&seen});
    ex::start(operation);
    while (!seen.has_ended.load(
        std::memory_order_acquire)) {  // on a thread that is no worker it runs elsewhere
      std::this_thread::yield();
    }
    EXPECT_NE(seen.error, "");
    EXPECT_EQ(seen.num_values + seen.num_stops, 0);
  }
}

lazy_task<void> stops(std::shared_ptr<int> held) {
  co_await ex::just_stopped();
  ++*held;
}
lazy_task<void> awaits_one_that_stops(std::shared_ptr<int> held) {
  co_await stops(held);
  ++*held;
}
lazy_task<void> forks_one_that_stops(std::shared_ptr<int> held) {
  co_await weft::fork(stops(held), stops(held));
  ++*held;
}

TEST(LazyTask, a_stop_ends_the_whole_operation) {
  weft::runtime home(with_workers(2));
  for (auto* body : {&stops, &awaits_one_that_stops, &forks_one_that_stops}) {
    const auto held = std::make_shared<int>(0);
    ending seen;
    home.run([&] {
      auto operation = ex::connect(body(held), recorder<>{&seen});
      ex::start(operation);
      while (held.use_count() != 1 || !seen.has_ended.load(std::memory_order_acquire)) {
        weft::this_task::yield();
      }
    });
    EXPECT_EQ(seen.num_stops, 1);
    EXPECT_EQ(seen.num_values, 0);
    EXPECT_EQ(*held, 0);
  }
  EXPECT_THROW(weft::blocking_wait(stops(std::make_shared<int>(0))), ex::operation_stopped);
  EXPECT_THROW(weft::async(stops(std::make_shared<int>(0))).get(), ex::operation_stopped);
}

lazy_task<bool> asks_whether_to_stop() {
  const auto token = co_await ex::read_env(ex::get_stop_token);
  co_return token.stop_requested();
}
lazy_task<int> counts_requests() {
  auto inner = asks_whether_to_stop();
  const bool as_awaited = co_await std::move(inner);
  const auto [left, right] = co_await weft::fork(asks_whether_to_stop(), asks_whether_to_stop());
  co_return (as_awaited ? 1 : 0) + (left ? 1 : 0) + (right ? 1 : 0);
}

struct int_recorder : recorder<weft::inplace_stop_token> {
  void set_value(int count) noexcept { *result = count; }
  std::atomic<int>* result;
};

TEST(LazyTask, all_its_coroutines_see_the_stop_token_of_the_receiver) {
  for (const bool is_stopped : {false, true}) {
    weft::inplace_stop_source source;
    if (is_stopped) {
      source.request_stop();
    }
    ending seen;
    std::atomic<int> result{-1};
    auto operation =
        ex::connect(counts_requests(), int_recorder{{&seen, source.get_token()}, &result});
    ex::start(operation);
    while (result == -1) {
      std::this_thread::yield();
    }
    EXPECT_EQ(result, is_stopped ? 3 : 0);
  }
}

lazy_task<std::thread::id> goes_elsewhere_and_comes_back() {
  co_await ex::schedule(ex::get_parallel_scheduler());
  co_return std::this_thread::get_id();
}

TEST(LazyTask, goes_on_in_the_runtime_in_which_it_waits) {
  weft::runtime home(with_workers(1));
  const auto worker = home.run([] { return std::this_thread::get_id(); });

  EXPECT_EQ(home.run([] { return weft::blocking_wait(goes_elsewhere_and_comes_back()); }), worker);
}

lazy_task<long> awaits_many(long count) {
  long sum = 0;
  for (long i = 0; i < count; ++i) {
    sum += co_await ex::just(1L);
  }
  co_return sum;
}
lazy_task<long> switches_often(long count) {
  for (long i = 0; i < count; ++i) {
    co_await ex::schedule(ex::get_parallel_scheduler());
  }
  co_return count;
}

TEST(LazyTask, loops_of_many_senders_take_no_stack) {
  EXPECT_EQ(weft::blocking_wait(awaits_many(large_count)), large_count);
  EXPECT_EQ(weft::blocking_wait(switches_often(large_count / 10)), large_count / 10);
}

}  // namespace lazy_task_test
