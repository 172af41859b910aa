// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: launch policies, results of every kind, exceptions, and recursion.
#include "weft/tasks/async.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/event.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/launch.hpp"

#include "tasks/futures_fixture.hpp"
#include "tests/support/comes_true.hpp"

namespace async_test {

using weft::test::comes_true;

class Async : public WithWorkers {};

long fib(int n) {
  if (n < 2) {
    return n;
  }
  weft::future<long> x = weft::async([n] { return fib(n - 1); });
  weft::future<long> y = weft::async([n] { return fib(n - 2); });
  const long first = x.get();
  return first + y.get();
}

TEST_P(Async, gives_results_in_spawn_order) {
  EXPECT_EQ(runtime.run([] { return fib(20); }), 6765);
}

TEST_P(Async, every_policy_gives_the_result) {
  for (const weft::launch policy :
       {weft::launch::async, weft::launch::deferred, weft::launch::fork, weft::launch::sync}) {
    const int sum = runtime.run(
        [policy] { return weft::async(policy, [](int a, int b) { return a + b; }, 40, 2).get(); });

    EXPECT_EQ(sum, 42);
  }
}

TEST_P(Async, passes_and_returns_what_can_only_be_moved) {
  const auto result = runtime.run([] {
    auto argument = std::make_unique<int>(41);
    return weft::async(
               [](std::unique_ptr<int> p) {
                 ++*p;
                 return p;
               },
               std::move(argument))
        .get();
  });

  EXPECT_EQ(*result, 42);
}

TEST_P(Async, returns_references) {
  int target = 1;

  runtime.run([&] {
    weft::future<int&> f = weft::async([&target]() -> int& { return target; });
    f.get() = 2;
  });

  EXPECT_EQ(target, 2);
}

TEST_P(Async, calls_members_and_unwraps_references) {
  struct counter {
    int add(int n) { return value += n; }
    int value = 40;
  };
  counter c;

  const int result = runtime.run([&] { return weft::async(&counter::add, std::ref(c), 2).get(); });

  EXPECT_EQ(result, 42);
  EXPECT_EQ(c.value, 42);
}

TEST_P(Async, rethrows_what_the_task_throws) {
  for (const weft::launch policy :
       {weft::launch::async, weft::launch::deferred, weft::launch::fork, weft::launch::sync}) {
    runtime.run([policy] {
      weft::future<void> f = weft::async(policy, [] { throw std::out_of_range("task"); });
      EXPECT_THROW(f.get(), std::out_of_range);
    });
  }
}

TEST_P(Async, a_deferred_task_runs_at_the_first_wait_only) {
  runtime.run([] {
    int calls = 0;
    weft::future<int> f = weft::async(weft::launch::deferred, [&calls] { return ++calls; });
    EXPECT_FALSE(f.is_ready());
    EXPECT_EQ(calls, 0);

    f.wait();

    EXPECT_EQ(calls, 1);
    EXPECT_EQ(f.get(), 1);
  });
}

TEST_P(Async, dropping_a_deferred_task_drops_its_closure) {
  auto held = std::make_shared<int>(1);

  runtime.run([&] {
    const auto f = weft::async(weft::launch::deferred, [copy = held] { return *copy; });
    EXPECT_EQ(held.use_count(), 2);
  });

  EXPECT_EQ(held.use_count(), 1);
}

TEST_P(Async, a_dropped_task_runs_and_its_destructor_does_not_wait) {
  std::atomic<int> done{0};
  weft::event all_dropped;

  runtime.run([&] {
    for (int i = 0; i < 100; ++i) {
      const weft::future<std::string> dropped = weft::async([&] {
        all_dropped.wait();
        done.fetch_add(1);
        return std::string(100, 'x');
      });
    }
    EXPECT_EQ(done.load(), 0);
    all_dropped.set();
  });

  EXPECT_TRUE(comes_true([&] { return done.load() == 100; }));
}

TEST_P(Async, gets_many_in_spawn_order_and_against_it) {
  runtime.run([] {
    std::vector<weft::future<int>> futures;
    futures.reserve(3000);
    for (int i = 0; i < 3000; ++i) {
      futures.push_back(weft::async([i] { return i; }));
    }
    for (int i = 0; i < 2000; ++i) {
      ASSERT_EQ(futures[static_cast<std::size_t>(i)].get(), i);
    }
    for (int i = 2999; i >= 2000; --i) {
      ASSERT_EQ(futures[static_cast<std::size_t>(i)].get(), i);
    }
  });
}

long sum_down(int n) {
  return n == 0 ? 0 : weft::async([n] { return sum_down(n - 1); }).get() + n;
}

TEST_P(Async, recursion_far_deeper_than_one_stack) {
  constexpr int depth = 60'000;

  EXPECT_EQ(runtime.run([] { return sum_down(depth); }), long{depth} * (depth + 1) / 2);
}

TEST_P(Async, works_from_a_thread_that_is_no_worker) { EXPECT_EQ(fib(10), 55); }

TEST_P(Async, keeps_the_alignment_of_what_it_holds) {
  struct alignas(128) wide {
    int value = 7;
  };

  const bool is_aligned = runtime.run([] {
    const wide w = weft::async([w = wide{}] { return w; }).get();
    return reinterpret_cast<std::uintptr_t>(&w) % 128 == 0 && w.value == 7;
  });

  EXPECT_TRUE(is_aligned);
}

WEFT_RUN_WITH_WORKERS(Async);

}  // namespace async_test
