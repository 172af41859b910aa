// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft::lazy_task: results, exceptions, lifetimes, suspension, depth, and any number of workers.
#include <coroutine>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/runtime.hpp"

#include "coroutine_helpers.hpp"
#include "tasks/with_workers.hpp"

namespace coroutine_test {

using weft::test::large_count;
using weft::test::migrate;
using weft::test::resume_at_once;

class Coroutine : public testing::TestWithParam<int> {
 protected:
  /// Runs `make()` as a coroutine of this test's runtime.
  template <class Make>
  auto run(Make make) {
    return runtime.run([&] { return weft::blocking_wait(make()); });
  }
  weft::runtime runtime{weft::test::with_workers(GetParam())};
};

weft::lazy_task<int> number(int value) { co_return value; }
weft::lazy_task<std::string> text(std::string value) { co_return value; }
weft::lazy_task<int&> place_of(int& value) { co_return value; }
weft::lazy_task<> nothing() { co_return; }
weft::lazy_task<std::unique_ptr<int>> owner(int value) { co_return std::make_unique<int>(value); }

static_assert(std::is_nothrow_move_constructible_v<weft::lazy_task<int>>);
static_assert(!std::is_copy_constructible_v<weft::lazy_task<int>>);

TEST_P(Coroutine, returns_values_references_and_nothing) {
  int here = 1;
  auto all = [](int& place) -> weft::lazy_task<std::string> {
    co_await nothing();
    co_await place_of(place) = co_await number(41);
    const auto owned = co_await owner(1);
    co_return co_await text("weft") + std::to_string(place + *owned);
  };

  EXPECT_EQ(run([&] { return all(here); }), "weft42");
  EXPECT_EQ(here, 41);
}

weft::lazy_task<int> throwing(int depth) {
  if (depth == 0) {
    throw std::domain_error("bottom");
  }
  const int value = co_await throwing(depth - 1);
  co_return value + 1;
}

TEST_P(Coroutine, exception_passes_through_all_awaiters) {
  EXPECT_THROW(run([] { return throwing(100); }), std::domain_error);
}

TEST_P(Coroutine, exception_is_caught_by_an_awaiter) {
  auto catching = []() -> weft::lazy_task<int> {
    int value = 0;
    try {
      value = co_await throwing(3);
    } catch (const std::domain_error&) {
      value = 6;
    }
    co_return value + co_await number(1);
  };

  EXPECT_EQ(run(catching), 7);
}

struct throws_at_its_end {
  ~throws_at_its_end() noexcept(false) { throw std::logic_error("late"); }
};

weft::lazy_task<std::string> throwing_after_its_return() {
  const throws_at_its_end local;
  co_return std::string(100, 'x');
}

TEST_P(Coroutine, exception_after_the_return_replaces_the_value) {
  EXPECT_THROW(run(throwing_after_its_return), std::logic_error);
}

TEST_P(Coroutine, is_lazy_and_destroys_its_arguments_unstarted) {
  auto shared = std::make_shared<bool>(false);
  auto body = [](std::shared_ptr<bool> ran) -> weft::lazy_task<> {
    *ran = true;
    co_return;
  };
  {
    weft::lazy_task<> never = body(shared);
    EXPECT_TRUE(never.valid());
    EXPECT_EQ(shared.use_count(), 2);
    weft::lazy_task<> moved = std::move(never);
    EXPECT_FALSE(never.valid());  // NOLINT(bugprone-use-after-move): what is tested
    moved = weft::lazy_task<>();
    EXPECT_EQ(shared.use_count(), 1);
  }

  EXPECT_FALSE(*shared);
}

TEST_P(Coroutine, arguments_and_locals_are_destroyed_once) {
  auto shared = std::make_shared<int>(5);
  auto body = [](std::shared_ptr<int> mine) -> weft::lazy_task<int> {
    const std::shared_ptr<int> local = std::move(mine);
    co_await migrate{};
    co_return *local;
  };

  EXPECT_EQ(run([&] { return body(shared); }), 5);
  EXPECT_EQ(shared.use_count(), 1);
}

weft::lazy_task<long> sum_down(long n) {
  if (n == 0) {
    co_return 0;
  }
  co_return n + co_await sum_down(n - 1);
}

TEST_P(Coroutine, chain_far_deeper_than_a_stack) {
  constexpr long depth = large_count;

  EXPECT_EQ(run([] { return sum_down(depth); }), depth * (depth + 1) / 2);
}

weft::lazy_task<long> sum_down_migrating(long n) {
  if (n == 0) {
    co_await migrate{};
    co_return 0;
  }
  co_return n + co_await sum_down_migrating(n - 1);
}

TEST_P(Coroutine, chain_that_ends_detached) {
  constexpr long depth = large_count / 10;

  EXPECT_EQ(run([] { return sum_down_migrating(depth); }), depth * (depth + 1) / 2);
}

template <class Pause>
weft::lazy_task<long> one_after() {
  co_await Pause{};
  co_return 1;
}

template <class Pause>
weft::lazy_task<long> count_awaits(long times) {
  long sum = 0;
  for (long i = 0; i < times; ++i) {
    sum += co_await one_after<Pause>();
  }
  co_return sum;
}

TEST_P(Coroutine, very_many_awaits_in_a_row) {
  EXPECT_EQ(run([] { return count_awaits<std::suspend_never>(large_count); }), large_count);
}

TEST_P(Coroutine, very_many_awaits_of_what_resumes_at_once) {
  EXPECT_EQ(run([] { return count_awaits<resume_at_once>(large_count); }), large_count);
}

TEST_P(Coroutine, many_awaits_of_what_migrates) {
  EXPECT_EQ(run([] { return count_awaits<migrate>(20'000); }), 20'000);
}

TEST_P(Coroutine, may_use_what_suspends_the_whole_stack) {
  auto body = []() -> weft::lazy_task<int> {
    auto [x, y] = weft::fork_join([] { return weft::blocking_wait(number(1)); },
                                  [] { return weft::blocking_wait(count_awaits<migrate>(10)); });
    co_return x + static_cast<int>(y) + co_await number(100);
  };

  EXPECT_EQ(run(body), 111);
}

TEST_P(Coroutine, blocking_wait_works_within_tasks_and_outside) {
  EXPECT_EQ(weft::blocking_wait(text("outside")), "outside");
  EXPECT_EQ(weft::blocking_wait(count_awaits<migrate>(3)), 3);
  EXPECT_EQ(run([] { return text("within"); }), "within");
  EXPECT_THROW(weft::blocking_wait(throwing(1)), std::domain_error);
}

/// Each waits, on a stack of its own, for the coroutine that makes the next.
int nested_waits(int depth) {
  auto body = [](int left) -> weft::lazy_task<int> {
    co_await migrate{};
    co_return left == 0 ? 0 : 1 + nested_waits(left - 1);
  };
  return weft::blocking_wait(body(depth));
}

TEST_P(Coroutine, nested_sync_waits_do_not_deadlock) {
  EXPECT_EQ(runtime.run([] { return nested_waits(1000); }), 1000);
}

/// A coroutine type that weft knows nothing of: eager, resumed by whoever it awaits.
struct foreign {
  struct promise_type {
    static foreign get_return_object() noexcept { return {}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
  };
};

TEST_P(Coroutine, is_awaited_by_any_coroutine) {
  weft::test::gate both(2);
  long result = 0;
  auto outer = [&](weft::lazy_task<long> first, weft::lazy_task<long> second) -> foreign {
    result = co_await std::move(first);
    result += co_await std::move(second);
    co_await both.pass();
  };
  auto main = [&]() -> weft::lazy_task<> {
    outer(count_awaits<std::suspend_never>(2), count_awaits<migrate>(3));
    co_await both.pass();
  };

  run(main);

  EXPECT_EQ(result, 5);
}

INSTANTIATE_TEST_SUITE_P(Workers, Coroutine, testing::Values(1, 2, 4, 16));

}  // namespace coroutine_test
