// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about coroutines that return futures.
#include "weft/tasks/coroutine_future.hpp"  // IWYU pragma: keep: futures as coroutines

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "weft/tasks/async.hpp"
#include "weft/tasks/coroutine_async.hpp"
#include "weft/tasks/futures.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/runtime.hpp"

#include "tests/tasks/coroutine_helpers.hpp"
#include "tests/tasks/with_workers.hpp"

namespace coroutine_future_test {

using weft::future;
using weft::shared_future;
using weft::test::large_count;
using weft::test::with_workers;

future<int> plus_one(future<int> source, bool* has_begun) {
  *has_begun = true;
  const int value = co_await std::move(source);
  co_return value + 1;
}

TEST(CoroutineFuture, runs_at_once_until_it_waits) {
  weft::promise<int> given;
  bool has_begun = false;

  auto sum = plus_one(given.get_future(), &has_begun);
  EXPECT_TRUE(has_begun);
  EXPECT_FALSE(sum.is_ready());
  given.set_value(1);

  EXPECT_EQ(sum.get(), 2);
}

future<std::string> text() { co_return "text"; }
future<int&> reference(int& value) { co_return value; }
future<void> nothing() { co_return; }
shared_future<int> shared() { co_return 3; }

TEST(CoroutineFuture, gives_results_of_all_kinds) {
  int value = 0;

  EXPECT_TRUE(text().is_ready());
  EXPECT_EQ(text().get(), "text");
  EXPECT_EQ(&reference(value).get(), &value);
  nothing().get();
  const auto three = shared();
  EXPECT_EQ(three.get() + shared_future<int>(three).get(), 6);
}

template <class Outer>
future<int> inner_plus_one(Outer outer) {
  const int value = co_await std::move(outer);
  co_return value + 1;
}

weft::lazy_task<int> inner_in_a_task(future<future<int>> outer) {
  co_return co_await std::move(outer);
}

TEST(CoroutineFuture, a_future_of_a_future_is_awaited_for_the_inner_value) {
  weft::promise<future<int>> outer;
  weft::promise<int> inner;
  const auto give = [&inner] { return inner.get_future(); };

  auto sum = inner_plus_one(outer.get_future());
  outer.set_value(give());
  EXPECT_FALSE(sum.is_ready());
  inner.set_value(1);

  EXPECT_EQ(sum.get(), 2);
  EXPECT_EQ(inner_plus_one(weft::async([] { return weft::make_ready_future(2).share(); })).get(),
            3);
  EXPECT_EQ(
      weft::async(inner_in_a_task(weft::async([] { return weft::make_ready_future(3); }))).get(),
      3);
}

struct throws_at_its_end {
  throws_at_its_end() = default;
  throws_at_its_end(const throws_at_its_end&) = delete;
  throws_at_its_end& operator=(const throws_at_its_end&) = delete;
  ~throws_at_its_end() noexcept(false) { throw std::logic_error("end"); }
};

future<std::string> fails(bool after_its_value) {
  if (!after_its_value) {
    throw std::runtime_error("body");
  }
  const throws_at_its_end local;
  co_return std::string(100, 'x');
}

TEST(CoroutineFuture, exceptions_are_for_the_owner) {
  EXPECT_THROW(fails(false).get(), std::runtime_error);
  EXPECT_THROW(fails(true).get(), std::logic_error);
  static_cast<void>(fails(false));  // nobody wants to know
}

future<std::uint64_t> fib(std::uint64_t n) {
  if (n < 2) {
    co_return n;
  }
  auto left = weft::async([n] { return fib(n - 1).get(); });
  auto right = fib(n - 2);
  co_return co_await std::move(left) + co_await std::move(right);
}

weft::lazy_task<std::uint64_t> fib_in_a_task(std::uint64_t n) {
  auto first = fib(n);
  co_return co_await std::move(first);
}

TEST(CoroutineFuture, awaits_and_is_awaited_by_others_of_all_kinds) {
  weft::runtime home(with_workers(2));

  EXPECT_EQ(home.run([] { return fib(12).get(); }), 144u);
  EXPECT_EQ(home.run([] { return weft::blocking_wait(fib_in_a_task(10)); }), 55u);
}

future<int> counts(std::shared_ptr<std::atomic<int>> ended, future<void> source) {
  co_await std::move(source);
  ++*ended;
  co_return 1;
}

TEST(CoroutineFuture, goes_on_when_nobody_wants_its_future) {
  const auto ended = std::make_shared<std::atomic<int>>(0);
  weft::promise<void> given;
  {
    const auto forgotten = counts(ended, given.get_future());
  }
  given.set_value();
  while (ended.use_count() != 1) {
    std::this_thread::yield();
  }

  EXPECT_EQ(*ended, 1);
}

future<long> many_ready(long count) {
  long sum = 0;
  for (long i = 0; i < count; ++i) {
    sum += co_await weft::make_ready_future(1L);
  }
  co_return sum;
}
future<long> one() { co_return 1; }
future<long> many_coroutines(long count) {
  long sum = 0;
  for (long i = 0; i < count; ++i) {
    sum += co_await one();
  }
  co_return sum;
}

TEST(CoroutineFuture, loops_of_many_awaits_take_no_stack) {
  EXPECT_EQ(many_ready(large_count).get(), large_count);
  EXPECT_EQ(many_coroutines(large_count).get(), large_count);
}

future<long> many_waits(long count) {
  long sum = 0;
  for (long i = 0; i < count; ++i) {
    auto next = weft::async([] { return 1L; });
    sum += co_await std::move(next);
  }
  co_return sum;
}

TEST(CoroutineFuture, loops_of_waits_that_suspend_take_no_stack) {
  weft::runtime home(with_workers(2));

  EXPECT_EQ(home.run([] { return many_waits(large_count / 10).get(); }), large_count / 10);
}

}  // namespace coroutine_future_test
