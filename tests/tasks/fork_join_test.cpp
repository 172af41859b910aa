// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork_join: results, order, exceptions, depth, and any number of workers.
#include "weft/tasks/fork_join.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/timing_mode.hpp"

#include "tests/tasks/with_workers.hpp"

namespace fork_join_test {

namespace request = weft::tasks::detail::request;
using weft::test::with_workers;

class ForkJoin : public testing::TestWithParam<int> {
 protected:
  weft::runtime runtime{with_workers(GetParam())};
};

long fib(int n) {
  if (n < 2) {
    return n;
  }
  auto [x, y] = weft::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return x + y;
}

TEST_P(ForkJoin, returns_both_results) {
  auto [number, text] = runtime.run(
      [] { return weft::fork_join([] { return 42; }, [] { return std::string("weft"); }); });

  EXPECT_EQ(number, 42);
  EXPECT_EQ(text, "weft");
}

TEST_P(ForkJoin, returns_results_of_many_in_order) {
  const auto results = runtime.run([] {
    return weft::fork_join(
        [] { return 1; }, [] { return 'b'; }, [] {}, [] { return std::make_unique<int>(4); });
  });

  EXPECT_EQ(std::get<0>(results), 1);
  EXPECT_EQ(std::get<1>(results), 'b');
  EXPECT_EQ(std::get<2>(results), std::monostate{});
  EXPECT_EQ(*std::get<3>(results), 4);
}

TEST_P(ForkJoin, computes_fibonacci_numbers) {
  EXPECT_EQ(runtime.run([] { return fib(23); }), 28657);
}

TEST_P(ForkJoin, first_exception_in_program_order_is_rethrown) {
  for (int i = 0; i < 200; ++i) {
    try {
      runtime.run([] {
        weft::fork_join([] { throw std::runtime_error("first"); },
                        [] { throw std::runtime_error("second"); });
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& raised) {
      ASSERT_STREQ(raised.what(), "first");
    }
  }
}

TEST_P(ForkJoin, exception_of_the_second_is_rethrown) {
  EXPECT_THROW(runtime.run([] {
    weft::fork_join([] { return 1; }, []() -> int { throw std::out_of_range("second"); });
  }),
               std::out_of_range);
}

long sum_down(int n) {
  if (n == 0) {
    return 0;
  }
  auto [rest, mine] = weft::fork_join([n] { return sum_down(n - 1); }, [n] { return long{n}; });
  return rest + mine;
}

TEST_P(ForkJoin, recursion_far_deeper_than_one_stack) {
  constexpr int depth = 60'000;

  EXPECT_EQ(runtime.run([] { return sum_down(depth); }), long{depth} * (depth + 1) / 2);
}

TEST_P(ForkJoin, exception_crosses_linked_stacks) {
  struct thrower {
    static int down(int n) {
      if (n == 0) {
        throw std::domain_error("bottom");
      }
      return std::get<0>(weft::fork_join([n] { return down(n - 1); }, [] {}));
    }
  };

  EXPECT_THROW(runtime.run([] { return thrower::down(20'000); }), std::domain_error);
}

TEST_P(ForkJoin, work_of_a_long_leaf_is_taken_by_others) {
  if (GetParam() == 1) {
    GTEST_SKIP() << "needs a second worker";
  }
  // The first part never comes back to the runtime until the second has run elsewhere: only a
  // forced publication can make that happen.
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> has_run{false};
    std::thread::id of_leaf;
    std::thread::id of_other;
    runtime.run([&] {
      weft::fork_join(
          [&] {
            of_leaf = std::this_thread::get_id();
            while (!has_run.load()) std::this_thread::yield();
          },
          [&] {
            of_other = std::this_thread::get_id();
            has_run.store(true);
          });
    });
    EXPECT_NE(of_leaf, of_other);
  }
}

TEST_P(ForkJoin, works_from_several_threads_at_once) {
  std::array<long, 4> results{};
  {
    std::vector<std::jthread> callers;
    callers.reserve(results.size());
    for (long& result : results) {
      callers.emplace_back([&] { result = runtime.run([] { return fib(16); }); });
    }
  }

  for (const long result : results) {
    EXPECT_EQ(result, 987);
  }
}

TEST_P(ForkJoin, wakes_workers_that_sleep) {
  for (int i = 0; i < 30; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 3));
    ASSERT_EQ(runtime.run([] { return fib(12); }), 144);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, ForkJoin, testing::Values(1, 2, 4, 16));

/// Counts what becomes of it; may be copied, so that a copy where a move would do shows.
struct tracked {
  static inline std::atomic<int> num_copies{0};
  static inline std::atomic<int> num_moves{0};
  static inline std::atomic<int> num_alive{0};
  static void forget() { num_copies = num_moves = 0; }

  tracked() { ++num_alive; }
  tracked(const tracked& /*other*/) {
    ++num_copies;
    ++num_alive;
  }
  tracked(tracked&& /*other*/) noexcept {
    ++num_moves;
    ++num_alive;
  }
  tracked& operator=(const tracked&) = delete;
  tracked& operator=(tracked&&) = delete;
  ~tracked() { --num_alive; }
};

/// One worker: nobody takes a part. None is timed, either, whose result is moved once more.
class ForkJoinAlone : public testing::Test {
 protected:
  ForkJoinAlone() { tracked::forget(); }
  static weft::runtime_options options() {
    weft::runtime_options untimed = with_workers(1);
    untimed.timing = weft::timing_mode::counts;
    return untimed;
  }
  weft::runtime runtime{options()};
};

TEST_F(ForkJoinAlone, results_are_moved_once_into_their_tuple) {
  runtime.run([] {
    const auto make = [] { return tracked(); };
    auto both = weft::fork_join(make, make);
    static_assert(std::is_same_v<decltype(both), std::tuple<tracked, tracked>>);
    EXPECT_EQ(tracked::num_moves, 2);

    tracked::forget();
    auto all = weft::fork_join(make, make, make, make, make);
    EXPECT_EQ(std::tuple_size_v<decltype(all)>, 5U);
    EXPECT_EQ(tracked::num_moves, 5);
  });

  EXPECT_EQ(tracked::num_copies, 0);
  EXPECT_EQ(tracked::num_alive, 0);
}

TEST_F(ForkJoinAlone, a_result_is_moved_once_if_another_worker_asked_for_work_and_got_none) {
  runtime.run([] {
    for (const std::uint32_t asked : {request::publish, request::sleepers, request::follow}) {
      tracked::forget();
      weft::fork_join(
          [asked] {
            weft::tasks::detail::self()->tasks.ask(asked);
            return tracked();
          },
          [] { return tracked(); });
      EXPECT_EQ(tracked::num_moves, 2);
    }
  });

  EXPECT_EQ(tracked::num_copies, 0);
  EXPECT_EQ(tracked::num_alive, 0);
}

TEST_F(ForkJoinAlone, callables_are_neither_copied_nor_moved) {
  runtime.run([] {
    tracked captured;
    const auto named = [captured] { (void)captured; };
    tracked::forget();
    weft::fork_join(named, [&captured] { (void)captured; });
    weft::fork_join([&] { weft::fork_join(named, named, named); }, named);
  });

  EXPECT_EQ(tracked::num_copies, 0);
  EXPECT_EQ(tracked::num_moves, 0);
}

TEST_F(ForkJoinAlone, results_before_an_exception_are_destroyed_once) {
  runtime.run([] {
    const auto make = [] { return tracked(); };
    const auto fail = []() -> int { throw std::runtime_error("last"); };
    EXPECT_THROW(weft::fork_join(make, fail), std::runtime_error);
    EXPECT_THROW(weft::fork_join(make, make, fail), std::runtime_error);
    EXPECT_THROW(weft::fork_join(make, make, fail, make), std::runtime_error);
  });

  EXPECT_EQ(tracked::num_alive, 0);
}

TEST(ForkJoinStolen, a_result_that_another_worker_made_is_moved_once_more) {
  weft::runtime runtime{with_workers(2)};
  tracked::forget();

  runtime.run([] {
    std::atomic<bool> has_run{false};
    auto both = weft::fork_join(
        [&] {
          while (!has_run.load()) std::this_thread::yield();
          return tracked();
        },
        [&] {
          has_run.store(true);
          return tracked();
        });
    (void)both;
  });

  EXPECT_EQ(tracked::num_copies, 0);
  EXPECT_EQ(tracked::num_moves, 3);
  EXPECT_EQ(tracked::num_alive, 0);
}

TEST(ForkJoinDefault, runs_on_the_default_runtime_from_any_thread) { EXPECT_EQ(fib(15), 610); }

}  // namespace fork_join_test
