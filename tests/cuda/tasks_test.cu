// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks, coroutines and senders work where nvcc compiles the host's code.
#include <atomic>
#include <cstddef>
#include <exception>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/unwrapping.hpp"
#include "weft/weft.hpp"

namespace cuda_tasks_test {

namespace ex = weft::execution;

int fibonacci(int n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] =
      weft::fork_join([n] { return fibonacci(n - 1); }, [n] { return fibonacci(n - 2); });
  return a + b;
}

TEST(Tasks, fork_and_join) {
  EXPECT_EQ(weft::default_runtime().run([] { return fibonacci(15); }), 610);
}

TEST(Tasks, futures_have_continuations_and_errors) {
  weft::future<int> six = weft::async([] { return 6; });
  weft::future<int> seven = weft::async([] { return 7; });
  auto product = weft::dataflow(
      weft::unwrapping([](int a, int b) { return a * b; }), std::move(six), std::move(seven));
  auto more = std::move(product).then([](weft::future<int> x) { return x.get() + 1; });
  EXPECT_EQ(more.get(), 43);

  auto [one, two] =
      weft::when_all_ready(weft::async([] { return 1; }), weft::async([] { return 2; })).get();
  EXPECT_EQ(one.get() + two.get(), 3);

  weft::future<int> failed = weft::async([]() -> int { throw std::domain_error("failed"); });
  EXPECT_THROW(failed.get(), std::domain_error);
}

weft::lazy_task<int> doubled(int x) {
  co_return 2 * co_await weft::async([x] { return x; });
}
weft::lazy_task<int> sum_of_doubled(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += co_await doubled(i);
  }
  co_return sum;
}
weft::future<int> as_future() {
  co_return co_await weft::async([] { return 5; }) + 1;
}

TEST(Coroutines, await_tasks_and_futures) {
  EXPECT_EQ(weft::async(sum_of_doubled(100)).get(), 9900);
  EXPECT_EQ(as_future().get(), 6);
}

TEST(Senders, run_on_workers_and_send_values) {
  const auto workers = weft::default_runtime().get_scheduler();
  std::vector<int> squares(1000);
  auto work =
      ex::schedule(workers) |
      ex::bulk(squares.size(), [&](std::size_t i) { squares[i] = static_cast<int>(i * i); }) |
      ex::then([&] { return std::accumulate(squares.begin(), squares.end(), 0); });
  const auto answer = ex::sync_wait(ex::when_all(std::move(work), ex::just(1.5)));

  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(*answer, (std::tuple{332'833'500, 1.5}));
}

TEST(Senders, carry_errors_and_let) {
  auto failing = ex::just(1) | ex::then([](int) -> int { throw std::domain_error("failed"); });
  EXPECT_THROW(static_cast<void>(ex::sync_wait(failing)), std::domain_error);
  auto mended = failing | ex::let_error([](const std::exception_ptr&) { return ex::just(2); });
  EXPECT_EQ(ex::sync_wait(mended), std::optional(std::tuple(2)));
}

TEST(Senders, spawned_work_and_split_work_are_awaited) {
  std::atomic<int> num_runs = 0;
  ex::counting_scope scope;
  for (int i = 0; i < 100; ++i) {
    ex::spawn(ex::schedule(weft::default_runtime().get_scheduler()) |
                  ex::then([&]() noexcept { ++num_runs; }),
              scope.get_token());
  }
  static_cast<void>(ex::sync_wait(scope.join()));
  EXPECT_EQ(num_runs, 100);

  auto shared = ex::just(1) | ex::then([&](int x) { return x + ++num_runs; }) | ex::split();
  auto sum = ex::when_all(shared, shared) | ex::then([](int a, int b) { return a + b; });
  EXPECT_EQ(ex::sync_wait(std::move(sum)), std::optional(std::tuple(204)));
}

TEST(Senders, algorithms_are_senders) {
  std::vector<int> numbers(10'000, 1);
  const auto sum =
      ex::sync_wait(ex::just(numbers.begin(), numbers.end(), 0) | weft::reduce(weft::par));
  ASSERT_TRUE(sum.has_value());
  EXPECT_EQ(std::get<0>(*sum), 10'000);
}

}  // namespace cuda_tasks_test
