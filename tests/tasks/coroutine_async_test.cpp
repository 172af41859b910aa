// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coroutine tasks and futures together: started by async, and awaited in coroutines.
#include "weft/tasks/coroutine_async.hpp"

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/async.hpp"
#include "weft/tasks/coroutine_fork.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/future_error.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime.hpp"

#include "coroutine_helpers.hpp"
#include "tasks/with_workers.hpp"

namespace coroutine_async_test {

using weft::test::migrate;

class CoroutineAsync : public testing::TestWithParam<int> {
 protected:
  weft::runtime runtime{weft::test::with_workers(GetParam())};
};

weft::lazy_task<std::string> text(std::string value) {
  co_await migrate{};
  co_return value;
}
weft::lazy_task<int&> place_of(int& value) { co_return value; }
weft::lazy_task<> mark(bool& place) {
  place = true;
  co_return;
}
weft::lazy_task<std::unique_ptr<int>> failing() {
  co_await migrate{};
  throw std::domain_error("failing");
}

TEST_P(CoroutineAsync, gives_futures_of_all_kinds) {
  int here = 0;
  bool is_marked = false;
  runtime.run([&] {
    weft::future<std::string> name = weft::async(text("weft"));
    weft::future<int&> place = weft::async(place_of(here));
    weft::future<void> done = weft::async(mark(is_marked));
    auto failed = weft::async(failing());

    EXPECT_EQ(name.get(), "weft");
    EXPECT_EQ(&place.get(), &here);
    done.get();
    EXPECT_THROW(failed.get(), std::domain_error);
  });

  EXPECT_TRUE(is_marked);
}

TEST_P(CoroutineAsync, works_from_threads_that_are_no_workers) {
  EXPECT_EQ(weft::async(text("outside")).get(), "outside");
}

TEST_P(CoroutineAsync, runs_even_if_its_future_is_dropped) {
  bool is_marked = false;
  {
    weft::runtime other(weft::test::with_workers(GetParam()));
    other.run([&] { static_cast<void>(weft::async(mark(is_marked))); });
  }

  EXPECT_TRUE(is_marked);
}

weft::lazy_task<int> sum_of(std::vector<weft::future<int>> terms) {
  int sum = 0;
  for (weft::future<int>& term : terms) {
    sum += co_await term;
  }
  co_return sum;
}

TEST_P(CoroutineAsync, coroutines_await_futures) {
  const int sum = runtime.run([] {
    std::vector<weft::future<int>> terms(100);
    for (int i = 0; i < 100; ++i) {
      terms[static_cast<std::size_t>(i)] = weft::async([i] { return i; });
    }
    return weft::blocking_wait(sum_of(std::move(terms)));
  });

  EXPECT_EQ(sum, 4950);
}

weft::lazy_task<int> plus_one(weft::future<int> before) { co_return 1 + co_await before; }

TEST_P(CoroutineAsync, a_chain_of_coroutines_and_futures) {
  constexpr int length = 10'000;
  const int end = runtime.run([] {
    weft::promise<int> first;
    weft::future<int> last = first.get_future();
    for (int i = 0; i < length; ++i) {
      last = weft::async(plus_one(std::move(last)));
    }
    first.set_value(0);
    return last.get();
  });

  EXPECT_EQ(end, length);
}

weft::lazy_task<int> broken(weft::future<int> source) {
  auto [value, name] = co_await weft::fork(plus_one(std::move(source)), text("x"));
  co_return value;
}

TEST_P(CoroutineAsync, a_broken_promise_reaches_the_awaiting_coroutine) {
  EXPECT_THROW(runtime.run([] {
    weft::promise<int> source;
    auto waiting = weft::async(broken(source.get_future()));
    source = weft::promise<int>();
    waiting.get();
  }),
               weft::future_error);
}

INSTANTIATE_TEST_SUITE_P(Workers, CoroutineAsync, testing::Values(1, 2, 4, 16));

}  // namespace coroutine_async_test
