// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork and fork_all of coroutine tasks: results, order, exceptions, stealing, suspension, depth.
#include "weft/tasks/coroutine_fork.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/runtime.hpp"

#include "coroutine_helpers.hpp"
#include "tasks/with_workers.hpp"

namespace coroutine_fork_test {

using weft::test::gate;
using weft::test::migrate;

class CoroutineFork : public testing::TestWithParam<int> {
 protected:
  template <class Make>
  auto run(Make make) {
    return runtime.run([&] { return weft::blocking_wait(make()); });
  }
  weft::runtime runtime{weft::test::with_workers(GetParam())};
};

weft::lazy_task<int> number(int value) { co_return value; }
weft::lazy_task<std::string> text(std::string value) { co_return value; }
weft::lazy_task<> mark(bool& place) {
  place = true;
  co_return;
}

TEST_P(CoroutineFork, returns_results_in_order) {
  auto body = []() -> weft::lazy_task<std::string> {
    bool is_marked = false;
    auto [x, nothing, name, y] =
        co_await weft::fork(number(1), mark(is_marked), text("weft"), number(2));
    EXPECT_EQ(nothing, std::monostate{});
    EXPECT_TRUE(is_marked);
    co_return name + std::to_string(10 * x + y);
  };

  EXPECT_EQ(run(body), "weft12");
}

TEST_P(CoroutineFork, of_one_and_of_nothing_but_voids) {
  auto body = []() -> weft::lazy_task<int> {
    bool first = false;
    bool second = false;
    co_await weft::fork(mark(first), mark(second));
    EXPECT_TRUE(first && second);
    auto both = weft::fork(number(3));
    auto [x] = co_await std::move(both);
    co_return x;
  };

  EXPECT_EQ(run(body), 3);
}

weft::lazy_task<long> fib(int n) {
  if (n < 2) {
    co_return n;
  }
  auto [x, y] = co_await weft::fork(fib(n - 1), fib(n - 2));
  co_return x + y;
}

TEST_P(CoroutineFork, computes_fibonacci_numbers) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(run([] { return fib(21); }), 10946);
  }
}

using board = std::vector<int>;

bool is_safe(const board& queens, int column) {
  const int row = static_cast<int>(queens.size());
  for (int above = 0; above < row; ++above) {
    const int distance = column - queens[static_cast<std::size_t>(above)];
    if (distance == 0 || distance == row - above || distance == above - row) {
      return false;
    }
  }
  return true;
}

weft::lazy_task<long> count_queens(int size, board queens) {
  if (static_cast<int>(queens.size()) == size) {
    co_return 1;
  }
  auto placed = [&queens, size](int column) {
    board next = queens;
    next.push_back(column);
    return count_queens(size, std::move(next));
  };
  auto safe = [&queens](int column) { return is_safe(queens, column); };
  auto children =
      std::views::iota(0, size) | std::views::filter(safe) | std::views::transform(placed);
  const std::vector<long> counts = co_await weft::fork_all(std::move(children));
  co_return std::accumulate(counts.begin(), counts.end(), 0L);
}

TEST_P(CoroutineFork, counts_queens) {
  EXPECT_EQ(run([] { return count_queens(8, {}); }), 92);
}

/// Mixes a seed: a small tree of irregular shape, the same for every run.
constexpr std::uint64_t mix(std::uint64_t seed) {
  seed = (seed ^ (seed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  seed = (seed ^ (seed >> 27U)) * 0x94d049bb133111ebULL;
  return seed ^ (seed >> 31U);
}

std::uint64_t tree_sum(std::uint64_t seed, int depth) {
  std::uint64_t sum = seed % 1000;
  if (depth > 0) {
    for (std::uint64_t i = 0; i < mix(seed) % 5; ++i) {
      sum += tree_sum(mix(seed + i + 1), depth - 1);
    }
  }
  return sum;
}

/// The same by coroutines that fork, await, suspend or wait with their whole stack.
weft::lazy_task<std::uint64_t> tree_sum_by_tasks(std::uint64_t seed, int depth) {
  std::uint64_t sum = seed % 1000;
  const std::uint64_t num_children = depth > 0 ? mix(seed) % 5 : 0;
  auto child = [seed, depth](std::uint64_t i) {
    return tree_sum_by_tasks(mix(seed + i + 1), depth - 1);
  };
  if (seed % 7 == 0) {
    co_await migrate{};
  }
  if (num_children == 2) {
    auto [x, y] = co_await weft::fork(child(0), child(1));
    sum += x + y;
  } else if (num_children == 3) {
    auto [x, y] = weft::fork_join([&] { return weft::blocking_wait(child(0)); },
                                  [&] { return weft::blocking_wait(child(1)); });
    sum += x + y + co_await child(2);
  } else {
    const auto sums = co_await weft::fork_all(std::views::iota(std::uint64_t{0}, num_children) |
                                              std::views::transform(child));
    sum = std::accumulate(sums.begin(), sums.end(), sum);
  }
  if (seed % 11 == 0) {
    co_await migrate{};
  }
  co_return sum;
}

TEST_P(CoroutineFork, random_trees_agree_with_serial_sums) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    ASSERT_EQ(run([seed] { return tree_sum_by_tasks(seed, 8); }), tree_sum(seed, 8))
        << "seed " << seed;
  }
}

weft::lazy_task<int> fails(const char* what, bool does_migrate) {
  if (does_migrate) {
    co_await migrate{};
  }
  throw std::runtime_error(what);
}

TEST_P(CoroutineFork, first_exception_in_program_order_is_rethrown_after_all_have_ended) {
  for (int i = 0; i < 200; ++i) {
    bool is_marked = false;
    auto body = [&]() -> weft::lazy_task<> {
      co_await weft::fork(
          number(1), fails("first", i % 2 == 0), fails("second", i % 3 == 0), mark(is_marked));
    };
    try {
      run(body);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& raised) {
      ASSERT_STREQ(raised.what(), "first");
    }
    ASSERT_TRUE(is_marked);
  }
}

TEST_P(CoroutineFork, exception_of_each_child_is_rethrown) {
  for (int which = 0; which < 3; ++which) {
    auto child = [which](int i) { return i == which ? fails("one", i == 1) : number(i); };
    auto body = [&]() -> weft::lazy_task<> { co_await weft::fork(child(0), child(1), child(2)); };
    auto ranged = [&]() -> weft::lazy_task<> {
      co_await weft::fork_all(std::views::iota(0, 3) | std::views::transform(child));
    };

    EXPECT_THROW(run(body), std::runtime_error) << which;
    EXPECT_THROW(run(ranged), std::runtime_error) << which;
  }
}

TEST_P(CoroutineFork, exception_while_a_task_is_made_ends_the_range) {
  std::atomic<int> num_started{0};
  auto counted = [](std::atomic<int>& count) -> weft::lazy_task<> {
    ++count;
    co_return;
  };
  auto make = [&](int i) {
    if (i == 2) {
      throw std::length_error("no third");
    }
    return counted(num_started);
  };
  auto body = [&]() -> weft::lazy_task<> {
    co_await weft::fork_all(std::views::iota(0, 10) | std::views::transform(make));
  };

  EXPECT_THROW(run(body), std::length_error);
  EXPECT_EQ(num_started, 2);
}

TEST_P(CoroutineFork, fork_all_of_a_view_returns_results_in_order) {
  auto body = []() -> weft::lazy_task<int> {
    const std::vector<int> values =
        co_await weft::fork_all(std::views::iota(0, 1000) | std::views::transform(number));
    for (int i = 0; i < 1000; ++i) {
      EXPECT_EQ(values[static_cast<std::size_t>(i)], i);
    }
    co_return static_cast<int>(values.size());
  };

  EXPECT_EQ(run(body), 1000);
}

TEST_P(CoroutineFork, when_all_of_a_container_and_of_nothing) {
  auto body = []() -> weft::lazy_task<std::size_t> {
    std::vector<weft::lazy_task<std::string>> tasks;
    tasks.push_back(text("a"));
    tasks.push_back(text("b"));
    const std::vector<std::string> values = co_await weft::fork_all(std::move(tasks));
    EXPECT_EQ(values, (std::vector<std::string>{"a", "b"}));
    co_return (co_await weft::fork_all(std::vector<weft::lazy_task<int>>())).size();
  };

  EXPECT_EQ(run(body), 0U);
}

TEST_P(CoroutineFork, unawaited_forks_destroy_their_tasks) {
  auto shared = std::make_shared<int>(1);
  auto body = [](std::shared_ptr<int> mine) -> weft::lazy_task<int> { co_return *mine; };
  {
    const auto never = weft::fork(body(shared), body(shared));
    EXPECT_EQ(shared.use_count(), 3);
  }

  EXPECT_EQ(shared.use_count(), 1);
}

weft::lazy_task<long> deep(long n) {
  if (n == 0) {
    co_return 0;
  }
  auto [rest, one] = co_await weft::fork(deep(n - 1), number(1));
  co_return rest + one;
}

TEST_P(CoroutineFork, recursion_far_deeper_than_a_stack) {
  constexpr long depth = weft::test::large_count / 10;

  EXPECT_EQ(run([] { return deep(depth); }), depth);
}

TEST_P(CoroutineFork, very_many_suspended_coroutines) {
  constexpr std::size_t count = weft::test::large_count;
  gate all(count);
  std::atomic<std::size_t> num_passed{0};
  auto wait = [](gate& at, std::atomic<std::size_t>& passed) -> weft::lazy_task<> {
    co_await at.pass();
    ++passed;
  };
  auto body = [&]() -> weft::lazy_task<> {
    co_await weft::fork_all(
        std::views::iota(std::size_t{0}, count) |
        std::views::transform([&](std::size_t) { return wait(all, num_passed); }));
  };

  run(body);

  EXPECT_EQ(num_passed.load(), count);
}

TEST_P(CoroutineFork, continuation_is_taken_while_the_first_child_runs) {
  if (GetParam() == 1) {
    GTEST_SKIP() << "needs a second worker";
  }
  // The first child never comes back to the runtime until the second has run elsewhere.
  std::atomic<bool> is_second_done{false};
  auto first = [](std::atomic<bool>& other) -> weft::lazy_task<bool> {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!other && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    co_return other;
  };
  auto second = [](std::atomic<bool>& mine) -> weft::lazy_task<> {
    mine = true;
    co_return;
  };
  auto body = [&]() -> weft::lazy_task<bool> {
    co_return std::get<0>(co_await weft::fork(first(is_second_done), second(is_second_done)));
  };

  EXPECT_TRUE(run(body));
}

INSTANTIATE_TEST_SUITE_P(Workers, CoroutineFork, testing::Values(1, 2, 4, 16));

}  // namespace coroutine_fork_test
