// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// when_any, when_some and when_each: who is first, and what happens to the others.
#include "weft/tasks/when_any.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/dataflow.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/shared_future.hpp"
#include "weft/tasks/when_all.hpp"
#include "weft/tasks/when_each.hpp"

#include "tasks/futures_fixture.hpp"

namespace when_any_test {

class WhenAny : public WithWorkers {};

TEST_P(WhenAny, tells_the_first_that_is_ready) {
  runtime.run([] {
    std::vector<weft::promise<int>> promises(5);
    std::vector<weft::future<int>> futures;
    futures.reserve(promises.size());
    for (auto& p : promises) {
      futures.push_back(p.get_future());
    }
    auto any = weft::when_any_ready(futures);
    EXPECT_FALSE(any.is_ready());

    promises[3].set_value(33);
    auto [index, all] = any.get();

    EXPECT_EQ(index, 3U);
    EXPECT_EQ(all.at(3).get(), 33);
    EXPECT_FALSE(all.at(0).is_ready());
    promises[0].set_value(1);
    EXPECT_EQ(all.at(0).get(), 1);
  });
}

template <class Container>
Container five_ready_futures() {
  Container futures;
  for (int i = 0; i < 5; ++i) {
    futures.push_back(weft::make_ready_future(i));  // NOLINT: no container here but one can reserve
  }
  return futures;
}

/// Five futures that have been moved out of.
template <class Container>
::testing::AssertionResult are_left_without_state(const Container& futures) {
  if (futures.size() != 5) {
    return ::testing::AssertionFailure() << futures.size() << " futures are left";
  }
  for (const auto& each : futures) {
    if (each.valid()) {
      return ::testing::AssertionFailure() << "one is still valid";
    }
  }
  return ::testing::AssertionSuccess();
}

template <class Container>
void named_containers_keep_their_size() {
  auto futures = five_ready_futures<Container>();
  EXPECT_EQ(weft::when_all_ready(futures).get().size(), 5U);
  EXPECT_TRUE(are_left_without_state(futures));
  futures.front() = weft::make_ready_future(7);
  EXPECT_EQ(futures.front().get(), 7);

  futures = five_ready_futures<Container>();
  EXPECT_EQ(weft::when_any_ready(futures).get().futures.size(), 5U);
  EXPECT_TRUE(are_left_without_state(futures));

  futures = five_ready_futures<Container>();
  EXPECT_EQ(weft::when_some_ready(2, futures).get().futures.size(), 5U);
  EXPECT_TRUE(are_left_without_state(futures));

  futures = five_ready_futures<Container>();
  weft::when_each([](const weft::future<int>& /*ready*/) {}, futures).get();
  EXPECT_TRUE(are_left_without_state(futures));

  futures = five_ready_futures<Container>();
  const auto count = [](const Container& ready) { return ready.size(); };
  EXPECT_EQ(weft::dataflow(count, futures).get(), 5U);
  EXPECT_TRUE(are_left_without_state(futures));
}

TEST_P(WhenAny, named_containers_keep_their_size_and_lose_their_futures) {
  runtime.run([] {
    named_containers_keep_their_size<std::vector<weft::future<int>>>();
    named_containers_keep_their_size<std::list<weft::future<int>>>();

    std::array<weft::future<int>, 2> pair{weft::make_ready_future(1), weft::make_ready_future(2)};
    EXPECT_EQ(weft::when_all_ready(pair).get()[1].get(), 2);
    EXPECT_FALSE(pair[0].valid() || pair[1].valid());
  });
}

TEST_P(WhenAny, named_containers_of_shared_futures_are_copied) {
  runtime.run([] {
    const std::vector<weft::shared_future<int>> futures(3, weft::make_ready_future(4).share());

    EXPECT_EQ(weft::when_all_ready(futures).get()[2].get(), 4);
    EXPECT_EQ(futures[2].get(), 4);
  });
}

TEST_P(WhenAny, of_nothing_is_ready) {
  auto any = weft::when_any_ready(std::vector<weft::future<int>>{});

  EXPECT_EQ(any.get().index, weft::when_any_result<std::vector<weft::future<int>>>::none);
  EXPECT_TRUE(weft::when_any_ready().is_ready());
}

TEST_P(WhenAny, those_that_are_late_can_be_got_continued_and_dropped) {
  for (int round = 0; round < 100; ++round) {
    runtime.run([] {
      auto any = weft::when_any_ready(weft::make_ready_future(1),
                                      weft::async([] { return 2; }),
                                      weft::async([] { return 3; }),
                                      weft::async([] { return 4; }));
      auto [index, all] = any.get();
      auto& [first, second, third, fourth] = all;
      EXPECT_EQ(index, 0U);
      EXPECT_EQ(second.get(), 2);
      EXPECT_EQ(third.then([](weft::future<int> f) { return f.get() + 1; }).get(), 4);
    });
  }
}

TEST_P(WhenAny, races_agree_with_their_result) {
  for (int round = 0; round < 200; ++round) {
    runtime.run([] {
      std::vector<weft::future<int>> futures;
      futures.reserve(8);
      for (int i = 0; i < 8; ++i) {
        futures.push_back(weft::async([i] { return i; }));
      }
      auto [index, all] = weft::when_any_ready(std::move(futures)).get();
      ASSERT_LT(index, all.size());
      ASSERT_TRUE(all[index].is_ready());
      ASSERT_EQ(all[index].get(), static_cast<int>(index));
    });
  }
}

TEST_P(WhenAny, when_some_waits_for_as_many_as_asked) {
  runtime.run([] {
    std::vector<weft::promise<void>> promises(4);
    std::vector<weft::future<void>> futures;
    futures.reserve(promises.size());
    for (auto& p : promises) {
      futures.push_back(p.get_future());
    }
    auto some = weft::when_some_ready(2, futures.begin(), futures.end());
    promises[2].set_value();
    EXPECT_FALSE(some.is_ready());
    promises[1].set_exception(std::make_exception_ptr(std::runtime_error("also counts")));

    auto [indices, all] = some.get();

    EXPECT_EQ(indices, (std::vector<std::size_t>{2, 1}));
    EXPECT_TRUE(all[1].has_exception());
    for (const std::size_t i : {std::size_t{0}, std::size_t{3}}) {
      promises[i].set_value();
    }
  });
}

TEST_P(WhenAny, deferred_ones_begin_in_order_and_only_as_many_as_needed) {
  runtime.run([] {
    std::vector<weft::future<int>> all;
    all.reserve(4);
    for (int i = 0; i < 4; ++i) {
      all.push_back(weft::async(weft::launch::deferred, [i] { return i; }));
    }
    auto done = weft::when_some_ready(2, std::move(all)).get();
    EXPECT_TRUE(done.futures[0].is_ready() && done.futures[1].is_ready());
    EXPECT_FALSE(done.futures[2].is_ready() || done.futures[3].is_ready());
    EXPECT_EQ(done.futures[2].get() + done.futures[3].get(), 5);

    auto first = weft::when_any_ready(weft::make_ready_future(7),
                                      weft::async(weft::launch::deferred, [] { return 8; }))
                     .get();
    EXPECT_EQ(first.index, 0u);
    EXPECT_FALSE(std::get<1>(first.futures).is_ready());
  });
}

TEST_P(WhenAny, when_some_of_too_few_says_so) {
  try {
    static_cast<void>(weft::when_some_ready(2, weft::make_ready_future(1)));
    FAIL() << "two of one";
  } catch (const weft::error& e) {
    EXPECT_NE(std::string(e.what()).find("at most 1"), std::string::npos) << e.what();
  }
  EXPECT_TRUE(weft::when_some_ready(0, weft::make_ready_future(1)).is_ready());
}

TEST_P(WhenAny, when_each_calls_in_the_order_of_readiness) {
  runtime.run([] {
    std::vector<weft::promise<int>> promises(4);
    std::vector<weft::future<int>> futures;
    futures.reserve(promises.size());
    for (auto& p : promises) {
      futures.push_back(p.get_future());
    }
    std::vector<int> seen;
    auto done = weft::when_each([&](weft::future<int> f) { seen.push_back(f.get()); }, futures);

    for (const int i : {2, 0, 3, 1}) {
      promises[static_cast<std::size_t>(i)].set_value(i);
    }
    done.get();

    EXPECT_EQ(seen, (std::vector<int>{2, 0, 3, 1}));
  });
}

TEST_P(WhenAny, when_each_handles_every_future_once_with_its_index) {
  for (int round = 0; round < 50; ++round) {
    runtime.run([] {
      std::vector<weft::future<std::unique_ptr<std::size_t>>> futures;
      futures.reserve(100);
      for (std::size_t i = 0; i < 100; ++i) {
        futures.push_back(weft::async([i] { return std::make_unique<std::size_t>(i); }));
      }
      std::vector<int> seen(100);
      weft::when_each(
          [&](std::size_t index, weft::future<std::unique_ptr<std::size_t>> f) {
            ASSERT_EQ(*f.get(), index);
            ++seen[index];
          },
          std::move(futures))
          .get();
      ASSERT_EQ(std::ranges::count(seen, 1), 100);
    });
  }
}

TEST_P(WhenAny, when_each_takes_different_futures_and_none) {
  runtime.run([] {
    int sum = 0;
    weft::when_each([&](auto f) { sum += static_cast<int>(f.get()); },
                    weft::async([] { return 1; }),
                    weft::async([] { return 2L; }))
        .get();
    weft::when_each([](weft::future<int>) {}, std::vector<weft::future<int>>{}).get();

    EXPECT_EQ(sum, 3);
  });
}

TEST_P(WhenAny, when_each_keeps_the_first_exception) {
  runtime.run([] {
    std::vector<weft::future<int>> futures;
    futures.reserve(10);
    for (int i = 0; i < 10; ++i) {
      futures.push_back(weft::async([i] { return i; }));
    }
    int calls = 0;
    auto done = weft::when_each(
        [&](weft::future<int>) {
          if (++calls == 3) {
            throw std::logic_error("third");
          }
        },
        futures);

    EXPECT_THROW(done.get(), std::logic_error);
    EXPECT_EQ(calls, 3);
  });
}

WEFT_RUN_WITH_WORKERS(WhenAny);

}  // namespace when_any_test
