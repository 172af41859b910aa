// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Range forms beyond the standard: keys with values, histograms, folds, reproducible sums.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/ranges/by_key.hpp"
#include "weft/algorithms/ranges/numeric.hpp"
#include "weft/tasks/runtime.hpp"

#include "algorithms/map_support.hpp"

namespace weft::test {
namespace ranges_by_key_test {

class ranges_by_key : public on_workers {};

struct keyed {
  int key = 0;
  bool operator==(const keyed&) const = default;
};

struct tally {
  int value = 0;
  [[nodiscard]] tally joined(const tally& other) const { return {value + other.value}; }
  bool operator==(const tally&) const = default;
};

TEST(RangesNumeric, operations_may_be_pointers_to_members) {
  const std::vector<int> keys{1, 1, 2};
  const std::vector<tally> all{{1}, {2}, {3}};
  const std::vector<tally> sums{{1}, {3}, {6}};
  const std::vector<tally> sums_before{{0}, {1}, {3}};
  const std::vector<tally> neighbours{{1}, {3}, {5}};
  std::vector<tally> out(3);
  std::vector<int> keys_out(3);
  constexpr auto op = &tally::joined;
  const std::identity same;

  EXPECT_EQ(ranges::reduce(par, all, tally(), op).value, 6);
  EXPECT_EQ(ranges::reduce_deterministic(par, all, tally(), op).value, 6);
  EXPECT_EQ(ranges::transform_reduce(par, all, tally(), op, same).value, 6);
  EXPECT_EQ(ranges::transform_reduce(par, all, all, tally(), op, op).value, 12);
  ranges::inclusive_scan(par, all, out, op);
  EXPECT_EQ(out, sums);
  ranges::inclusive_scan(par, all, out, op, tally());
  EXPECT_EQ(out, sums);
  ranges::exclusive_scan(par, all, out, tally(), op);
  EXPECT_EQ(out, sums_before);
  ranges::transform_inclusive_scan(par, all, out, op, same);
  EXPECT_EQ(out, sums);
  ranges::transform_inclusive_scan(par, all, out, op, same, tally());
  EXPECT_EQ(out, sums);
  ranges::transform_exclusive_scan(par, all, out, tally(), op, same);
  EXPECT_EQ(out, sums_before);
  ranges::adjacent_difference(par, all, out, op);
  EXPECT_EQ(out, neighbours);
  ranges::reduce_by_key(par, keys, all, keys_out, out, std::ranges::equal_to(), op);
  EXPECT_EQ(out[0].value, 3);
}

TEST_P(ranges_by_key, values_go_with_their_keys) {
  for (const std::size_t n : sizes) {
    std::vector<keyed> keys(n);
    std::vector<std::string> values(n + 1, "left alone");
    for (std::size_t i = 0; i < n; ++i) {
      keys[i].key = static_cast<int>(i * 7919 % 101);
      values[i] = std::to_string(keys[i].key) + '/' + std::to_string(i);
    }
    std::vector<std::string> expected;
    for (int key = 100; key >= 0; --key) {
      for (std::size_t i = 0; i < n; ++i) {
        if (keys[i].key == key) {
          expected.push_back(values[i]);
        }
      }
    }

    const auto ends = weft::ranges::sort_by_key(
        par.on(runtime), keys, values, std::ranges::greater(), &keyed::key);

    EXPECT_EQ(ends.in1, keys.end());
    EXPECT_EQ(ends.in2, values.end() - 1);
    EXPECT_TRUE(std::ranges::is_sorted(keys, std::ranges::greater(), &keyed::key));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), values.begin()));
    EXPECT_EQ(values.back(), "left alone");
  }
}

TEST_P(ranges_by_key, projections_may_take_keys_that_can_be_changed) {
  std::vector<keyed> keys{{3}, {1}, {2}};
  std::vector<std::string> values{"three", "one", "two"};

  weft::ranges::sort_by_key(par.on(runtime), keys, values, {}, [](keyed& x) { return x.key; });

  EXPECT_EQ(keys, (std::vector<keyed>{{1}, {2}, {3}}));
  EXPECT_EQ(values, (std::vector<std::string>{"one", "two", "three"}));
}

TEST_P(ranges_by_key, each_run_gives_one_value) {
  constexpr int n = 30'000;
  std::vector<int> keys;
  std::vector<long> expected;
  for (int i = 0; i < n; ++i) {
    keys.push_back(i / 7 % 3);
    if (i % 7 == 0) {
      expected.push_back(0);
    }
    expected.back() += i;
  }
  const auto values = std::views::iota(0, n);
  std::vector<int> keys_out(keys.size());
  std::vector<long> sums(keys.size());

  const auto done = weft::ranges::reduce_by_key(par.on(runtime), keys, values, keys_out, sums);

  EXPECT_EQ(done.keys, keys.end());
  EXPECT_EQ(done.values, values.end());
  EXPECT_EQ(done.keys_out - keys_out.begin(), std::ssize(expected));
  sums.erase(done.values_out, sums.end());
  EXPECT_EQ(sums, expected);
}

TEST_P(ranges_by_key, no_run_is_written_behind_the_end_of_an_output) {
  const std::vector<int> keys{1, 1, 2, 3, 3, 3, 4};
  const std::vector<int> values{1, 2, 3, 4, 5, 6, 7};
  std::vector<int> keys_out(3, -1);
  std::list<int> sums(9, -1);

  const auto done = weft::ranges::reduce_by_key(
      par.on(runtime), keys, values, keys_out, sums, std::ranges::equal_to(), std::multiplies<>());

  EXPECT_EQ(done.keys, keys.begin() + 6);
  EXPECT_EQ(done.values, values.begin() + 6);
  EXPECT_EQ(keys_out, (std::vector{1, 2, 3}));
  EXPECT_EQ(done.keys_out, keys_out.end());
  EXPECT_EQ(done.values_out, std::next(sums.begin(), 3));
  EXPECT_EQ(sums, (std::list{2, 3, 120, -1, -1, -1, -1, -1, -1}));
}

TEST_P(ranges_by_key, counts_fall_into_bins) {
  std::vector<double> places;
  places.reserve(40'000);
  for (int i = 0; i < 40'000; ++i) {
    places.push_back(std::fmod(i * 0.37 + 0.005, 12.0) - 1);  // [-1, 11)
  }
  std::vector<long> expected(10);
  for (const double x : places) {
    if (x >= 0 && x < 10) {
      ++expected[static_cast<std::size_t>(x)];
    }
  }
  std::vector<long> counts(10, -1);
  std::vector<long> first_counts(4, -1);
  std::vector<long> between(2, -1);

  const auto done = weft::ranges::histogram(par.on(runtime), places, 10, 0.0, 10.0, counts);
  const auto part = weft::ranges::histogram(par.on(runtime), places, 10, 0.0, 10.0, first_counts);
  const std::vector<double> borders{0, 1, 10};
  weft::ranges::histogram(par.on(runtime), places, borders, between.begin());

  EXPECT_EQ(done.in, places.end());
  EXPECT_EQ(done.out, counts.end());
  EXPECT_EQ(counts, expected);
  EXPECT_EQ(part.out, first_counts.end());
  EXPECT_TRUE(std::equal(first_counts.begin(), first_counts.end(), expected.begin()));
  EXPECT_EQ(between[0], expected[0]);
  EXPECT_EQ(between[1], std::accumulate(expected.begin() + 1, expected.end(), 0L));
}

TEST_P(ranges_by_key, a_fold_is_what_a_loop_gives) {
  std::vector<double> numbers;
  for (int i = 1; i < 20'000; ++i) {
    numbers.push_back(1.0 / i);
  }
  const std::vector<int> whole = counted<int>(20'000);

  EXPECT_EQ(weft::ranges::fold_left(par.on(runtime), numbers, 0.0, std::plus<>()),
            std::accumulate(numbers.begin(), numbers.end(), 0.0));
  EXPECT_EQ(weft::ranges::fold_left(par.on(runtime), whole, 0, std::bit_xor<>()),
            std::accumulate(whole.begin(), whole.end(), 0, std::bit_xor<>()));
  EXPECT_EQ(
      weft::ranges::fold_left(par(as_future), whole.begin(), whole.end(), 5, std::minus<>()).get(),
      std::accumulate(whole.begin(), whole.end(), 5, std::minus<>()));
}

TEST_P(ranges_by_key, a_deterministic_sum_does_not_depend_on_the_workers) {
  weft::runtime alone{with_workers(1)};
  std::vector<double> numbers;
  for (int i = 1; i < 200'000; ++i) {
    numbers.push_back(1.0 / i);
  }
  const auto inverse = [](double x) { return -x; };

  const double expected =
      weft::ranges::reduce_deterministic(par.on(alone), numbers, 0.5, std::plus<>(), inverse);

  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(
        weft::ranges::reduce_deterministic(par.on(runtime), numbers, 0.5, std::plus<>(), inverse),
        expected);
  }
  EXPECT_NEAR(expected, 0.5 - std::accumulate(numbers.begin(), numbers.end(), 0.0), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(workers, ranges_by_key, testing::Values(1, 2, 7));

}  // namespace ranges_by_key_test
}  // namespace weft::test
