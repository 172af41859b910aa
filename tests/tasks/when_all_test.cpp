// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// when_all and its counterpart split_future.
#include "weft/tasks/when_all.hpp"

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/future_error.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/shared_future.hpp"
#include "weft/tasks/split_future.hpp"

#include "tasks/futures_fixture.hpp"
#include "tests/support/comes_true.hpp"

namespace when_all_test {

using weft::test::comes_true;

class WhenAll : public WithWorkers {};

TEST_P(WhenAll, gives_all_futures_in_order) {
  runtime.run([] {
    weft::shared_future<std::string> shared = weft::async([] { return std::string("s"); });
    auto all = weft::when_all_ready(weft::async([] { return 1; }), shared, weft::async([] {
                                      return std::make_unique<int>(3);
                                    }));

    auto [number, text, pointer] = all.get();

    EXPECT_TRUE(shared.valid());
    EXPECT_EQ(number.get(), 1);
    EXPECT_EQ(text.get(), "s");
    EXPECT_EQ(*pointer.get(), 3);
  });
}

TEST_P(WhenAll, takes_ranges_iterators_and_nothing) {
  runtime.run([] {
    std::vector<weft::future<int>> futures;
    std::deque<weft::future<int>> more;
    for (int i = 0; i < 10; ++i) {
      futures.push_back(weft::async([i] { return i; }));
      more.push_back(weft::async([i] { return i; }));
    }

    std::deque<weft::future<int>> ready = weft::when_all_ready(std::move(more)).get();
    std::vector<weft::future<int>> first =
        weft::when_all_ready(futures.begin(), futures.begin() + 4).get();
    std::vector<weft::future<int>> none =
        weft::when_all_ready(std::vector<weft::future<int>>{}).get();

    EXPECT_EQ(ready.at(9).get(), 9);
    EXPECT_EQ(first.size(), 4U);
    EXPECT_FALSE(futures[3].valid());
    EXPECT_EQ(futures[4].get(), 4);
    EXPECT_TRUE(none.empty());
    EXPECT_TRUE(weft::when_all_ready().is_ready());
  });
}

TEST_P(WhenAll, joins_a_hundred_thousand) {
  constexpr std::size_t count = 100'000;
  const long sum = runtime.run([] {
    std::vector<weft::future<long>> futures;
    futures.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      futures.push_back(weft::async([i] { return static_cast<long>(i); }));
    }
    long total = 0;
    for (auto& each : weft::when_all_ready(futures).get()) {
      total += each.get();
    }
    return total;
  });

  EXPECT_EQ(sum, long{count} * (count - 1) / 2);
}

TEST_P(WhenAll, exceptions_stay_in_their_futures) {
  runtime.run([] {
    auto all = weft::when_all_ready(weft::async([] { return 1; }),
                                    weft::async([]() -> int { throw std::range_error("one"); }));

    auto [good, bad] = all.get();

    EXPECT_EQ(good.get(), 1);
    EXPECT_THROW(bad.get(), std::range_error);
  });
}

TEST_P(WhenAll, a_future_without_state_is_an_error) {
  EXPECT_THROW(static_cast<void>(weft::when_all_ready(weft::future<int>())), weft::future_error);
}

TEST_P(WhenAll, dropped_early_frees_everything) {
  auto held = std::make_shared<int>(1);
  runtime.run([&] {
    weft::promise<void> late;
    static_cast<void>(
        weft::when_all_ready(late.get_future(), weft::async([held] { return held; })));
  });
  EXPECT_TRUE(comes_true([&] { return held.use_count() == 1; }));
}

TEST_P(WhenAll, split_future_gives_the_parts) {
  runtime.run([] {
    auto [number, text] =
        weft::split_future(weft::async([] { return std::pair(1, std::string("two")); }));
    auto failed = weft::split_future(
        weft::async([]() -> std::array<int, 2> { throw std::out_of_range("whole"); }));
    auto parts = weft::split_future(weft::async([] { return std::vector<int>{1, 2}; }), 3);

    EXPECT_EQ(number.get(), 1);
    EXPECT_EQ(text.get(), "two");
    EXPECT_THROW(std::get<0>(failed).get(), std::out_of_range);
    EXPECT_THROW(std::get<1>(failed).get(), std::out_of_range);
    EXPECT_EQ(parts.at(1).get(), 2);
    EXPECT_THROW(parts.at(2).get(), std::out_of_range);
  });
}

WEFT_RUN_WITH_WORKERS(WhenAll);

}  // namespace when_all_test
