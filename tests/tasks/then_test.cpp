// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Continuations: policies, unwrapping, exceptions, long chains, coroutines.
#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/future_error.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/shared_future.hpp"

#include "tasks/futures_fixture.hpp"
#include "tests/support/comes_true.hpp"

namespace then_test {

using weft::test::comes_true;

constexpr std::size_t stack_size_bytes = std::size_t{128} << 10U;

/// A test on small stacks that runs with one worker and with many.
class Then : public testing::TestWithParam<int> {
 protected:
  static weft::runtime_options with_small_stacks(int num_workers) {
    weft::runtime_options options = with_workers(num_workers);
    options.stack_size_bytes = stack_size_bytes;
    return options;
  }
  weft::runtime runtime{with_small_stacks(GetParam())};
};

constexpr weft::launch policies[] = {
    weft::launch::async, weft::launch::deferred, weft::launch::fork, weft::launch::sync};

TEST_P(Then, passes_the_ready_future) {
  for (const weft::launch policy : policies) {
    const int result = runtime.run([policy] {
      return weft::async([] { return 20; })
          .then(policy,
                [](weft::future<int> f) {
                  EXPECT_TRUE(f.is_ready());
                  return f.get() + 1;
                })
          .then(policy, [](weft::future<int> f) { return 2 * f.get(); })
          .get();
    });
    EXPECT_EQ(result, 42);
  }
}

TEST_P(Then, forces_a_deferred_source) {
  runtime.run([] {
    auto f = weft::async(weft::launch::deferred, [] { return 1; });
    EXPECT_EQ(f.then([](weft::future<int> g) { return g.get() + 1; }).get(), 2);
    EXPECT_FALSE(f.valid());
  });
}

TEST_P(Then, unwraps_the_future_that_it_returns) {
  for (const weft::launch policy : policies) {
    runtime.run([policy] {
      weft::future<std::unique_ptr<int>> f =
          weft::async([] { return 41; }).then(policy, [](weft::future<int> g) {
            return weft::async([n = g.get()] { return std::make_unique<int>(n + 1); });
          });
      EXPECT_EQ(*f.get(), 42);
    });
  }
}

TEST_P(Then, exceptions_pass_through) {
  for (const weft::launch policy : policies) {
    runtime.run([policy] {
      auto fails = [] { return weft::async([]() -> int { throw std::length_error("source"); }); };
      EXPECT_THROW(fails().then(policy, [](weft::future<int> f) { return f.get(); }).get(),
                   std::length_error);
      EXPECT_THROW(
          fails()
              .then(policy, [](weft::future<int>) -> int { throw std::domain_error("step"); })
              .get(),
          std::domain_error);
      EXPECT_THROW(fails().then(policy, [&](weft::future<int>) { return fails(); }).get(),
                   std::length_error);
      EXPECT_THROW(
          fails().then(policy, [](weft::future<int>) { return weft::future<int>(); }).get(),
          weft::future_error);
    });
  }
}

TEST_P(Then, on_a_shared_future_may_be_repeated) {
  runtime.run([] {
    const weft::shared_future<int> shared = weft::async([] { return 7; });
    std::vector<weft::future<int>> all;
    all.reserve(100);
    for (int i = 0; i < 100; ++i) {
      all.push_back(shared.then(policies[i % 4],
                                [i](const weft::shared_future<int>& f) { return f.get() + i; }));
    }

    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(all[static_cast<std::size_t>(i)].get(), 7 + i);
    }
  });
}

weft::future<long> chain(weft::future<long> start, weft::launch policy, int length) {
  for (int i = 0; i < length; ++i) {
    start = start.then(policy, [](weft::future<long> f) { return f.get() + 1; });
  }
  return start;
}

// Two calls for each link, of three words or more, do not fit into a task's stack.
constexpr int long_length = 2'800;
static_assert(sizeof(void*) * long_length * 2 * 3 > stack_size_bytes);

TEST_P(Then, long_chains_need_no_deep_stack) {
  for (const weft::launch policy : policies) {
    runtime.run([policy] {
      weft::promise<long> begin;
      weft::future<long> end = chain(begin.get_future(), policy, long_length);
      begin.set_value(0);
      EXPECT_EQ(end.get(), long_length);
    });
  }
}

TEST_P(Then, long_chains_break_without_deep_stack) {
  for (const weft::launch policy : policies) {
    runtime.run([policy] {
      weft::future<long> end;
      {
        weft::promise<long> begin;
        end = chain(begin.get_future(), policy, long_length);
      }
      EXPECT_THROW(end.get(), weft::future_error);
    });
  }
}

TEST_P(Then, long_chains_are_dropped_without_deep_stack) {
  for (const weft::launch policy : policies) {
    auto held = std::make_shared<int>(1);
    runtime.run([policy, &held] {
      weft::promise<long> begin;
      auto first =
          begin.get_future().then(policy, [held](weft::future<long> f) { return f.get(); });
      static_cast<void>(chain(std::move(first), policy, long_length));
    });
    EXPECT_TRUE(comes_true([&] { return held.use_count() == 1; }));
  }
}

weft::future<int> count_down(int n) {
  if (n == 0) {
    return weft::make_ready_future(0);
  }
  return weft::async([n] { return n - 1; }).then([](weft::future<int> f) {
    return count_down(f.get());
  });
}

TEST_P(Then, nested_futures_unwrap_to_any_depth) {
  EXPECT_EQ(runtime.run([] { return count_down(long_length).get(); }), 0);
}

/// The least that a coroutine needs: it runs until it waits, and puts what it returns in a promise.
struct eager {
  struct promise_type {
    eager get_return_object() { return {result.get_future()}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_value(int value) { result.set_value(value); }
    void unhandled_exception() { result.set_exception(std::current_exception()); }
    weft::promise<int> result;
  };
  weft::future<int> result;
};

eager add(weft::future<int> a, weft::shared_future<int> b) {
  const int x = co_await a;
  const int y = co_await b;
  co_return x + y;
}

TEST_P(Then, any_coroutine_awaits_futures) {
  for (const weft::launch policy : policies) {
    for (int i = 0; i < 20; ++i) {
      weft::future<int> sum = runtime.run([policy, i] {
        return add(weft::async(policy, [i] { return i; }), weft::async(policy, [] { return 2; }))
            .result;
      });
      ASSERT_EQ(sum.get(), i + 2);
    }
  }
}

TEST_P(Then, a_coroutine_gets_the_exception_it_awaits) {
  weft::future<int> sum = runtime.run([] {
    return add(weft::async([]() -> int { throw std::out_of_range("awaited"); }),
               weft::make_ready_future(1))
        .result;
  });

  EXPECT_THROW(sum.get(), std::out_of_range);
}

TEST_P(Then, a_coroutine_outside_any_worker_is_resumed) {
  weft::promise<int> p;
  weft::future<int> sum = add(p.get_future(), weft::make_ready_future(2)).result;
  runtime.run([&] { p.set_value(40); });

  EXPECT_EQ(sum.get(), 42);
}

WEFT_RUN_WITH_WORKERS(Then);

}  // namespace then_test
