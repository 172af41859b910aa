// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Range forms of sorts, merges, set operations, sums and scans.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/ranges/merge.hpp"
#include "weft/algorithms/ranges/numeric.hpp"
#include "weft/algorithms/ranges/sort.hpp"

#include "algorithms/item_support.hpp"

namespace ranges_sort_test {

using weft::test::counted;
using weft::test::item;

constexpr int large = 50000;

/// Keys in no order, tags in order.
std::vector<item> shuffled(int n) {
  std::vector<item> all;
  all.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    all.push_back({static_cast<int>(static_cast<unsigned>(i) * 7919U % 1009U), i});
  }
  return all;
}

TEST(RangesSort, sorts_by_projection) {
  std::vector<item> all = shuffled(large);

  EXPECT_EQ(weft::ranges::sort(weft::par, all, {}, &item::key), all.end());
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &item::key));
  weft::ranges::sort(weft::par, all, std::greater<>(), &item::tag);
  EXPECT_EQ(all.front().tag, large - 1);
  EXPECT_EQ(all.back().tag, 0);
}

TEST(RangesSort, keeps_the_order_of_equal_elements) {
  std::vector<item> all = shuffled(large);
  std::vector<item> expected = all;
  std::ranges::sort(expected, {}, [](const item& x) { return std::pair(x.key, x.tag); });

  weft::ranges::stable_sort(weft::par, all, {}, &item::key);

  EXPECT_EQ(all, expected);
}

TEST(RangesSort, sorts_a_part) {
  std::vector<item> all = shuffled(large);

  EXPECT_EQ(weft::ranges::partial_sort(weft::par, all, all.begin() + 100, {}, &item::key),
            all.end());
  EXPECT_TRUE(std::ranges::is_sorted(std::span(all).first(100), {}, &item::key));
  EXPECT_EQ(all[0].key, 0);
  weft::ranges::nth_element(weft::par, all, all.begin() + 777, {}, &item::tag);
  EXPECT_EQ(all[777].tag, 777);
  std::vector<item> least(10);
  weft::ranges::partial_sort_copy(weft::par, all, least, {}, &item::tag, &item::tag);
  EXPECT_EQ(least.back().tag, 9);
  std::vector<int> numbers(3);
  EXPECT_EQ(weft::ranges::partial_sort_copy(weft::par, std::views::iota(0, large), numbers).out,
            numbers.end());
  EXPECT_EQ(numbers, (std::vector{0, 1, 2}));
}

TEST(RangesSort, merges_in_place) {
  std::vector<int> all = counted(large);
  std::ranges::rotate(all, all.begin() + large / 3);

  weft::ranges::inplace_merge(weft::par, all, all.begin() + (large - large / 3));

  EXPECT_EQ(all, counted(large));
}

TEST(RangesMerge, merges_as_much_as_there_is_room_for) {
  const std::vector<int> a = counted(large);
  const std::vector<int> b = counted(large);
  std::vector<int> all(std::size_t{2} * large);

  EXPECT_EQ(weft::ranges::merge(weft::par, a, b, all).out, all.end());
  EXPECT_TRUE(std::ranges::is_sorted(all));
  all.resize(1001);
  const auto part = weft::ranges::merge(weft::par, a, b, all);
  EXPECT_EQ(part.in1 - a.begin(), 501);
  EXPECT_EQ(part.in2 - b.begin(), 500);
  EXPECT_EQ(all.back(), 500);
}

TEST(RangesMerge, merges_with_two_projections) {
  std::vector<item> by_tag(large);
  std::vector<item> by_key(large);
  for (int i = 0; i < large; ++i) {
    by_tag[static_cast<std::size_t>(i)] = {-1, i};
    by_key[static_cast<std::size_t>(i)] = {i, -1};
  }
  std::vector<item> all(std::size_t{2} * large);
  std::vector<item> expected(std::size_t{2} * large);
  std::ranges::merge(by_tag, by_key, expected.begin(), {}, &item::tag, &item::key);

  weft::ranges::merge(weft::par, by_tag, by_key, all, {}, &item::tag, &item::key);

  EXPECT_EQ(all, expected);
}

TEST(RangesSets, write_what_std_does) {
  const std::vector<int> a = counted(large);
  std::vector<int> b;
  for (int i = 0; i < large; i += 3) {
    b.push_back(i);
    if (i % 2 == 1) {
      b.push_back(i);
    }
  }
  std::vector<int> expected;
  std::vector<int> found(a.size() + b.size());
  const auto check = [&](auto end) {
    EXPECT_TRUE(std::ranges::equal(std::ranges::subrange(found.begin(), end), expected));
    expected.clear();
  };

  std::ranges::set_union(a, b, std::back_inserter(expected));
  check(weft::ranges::set_union(weft::par, a, b, found).out);
  std::ranges::set_intersection(a, b, std::back_inserter(expected));
  check(weft::ranges::set_intersection(weft::par, a, b, found).out);
  std::ranges::set_difference(a, b, std::back_inserter(expected));
  check(weft::ranges::set_difference(weft::par, a, b, found.begin()).out);
  std::ranges::set_symmetric_difference(a, b, std::back_inserter(expected));
  check(weft::ranges::set_symmetric_difference(weft::par, a, b, found).out);
}

TEST(RangesSets, end_where_the_room_does) {
  const std::vector<int> a{1, 2, 3, 4};
  const std::vector<int> b{2, 4, 5};
  std::vector<int> two(2);

  const auto both = weft::ranges::set_union(weft::par, a, b, two);
  EXPECT_EQ(two, (std::vector{1, 2}));
  EXPECT_EQ(both.in1 - a.begin(), 2);
  EXPECT_EQ(both.in2 - b.begin(), 1);
  EXPECT_EQ(weft::ranges::set_difference(weft::par, a, b, two).out, two.end());
  EXPECT_EQ(two, (std::vector{1, 3}));
  EXPECT_EQ(weft::ranges::set_intersection(weft::par, a, b, two, {}, std::negate<>()).out,
            two.begin());
  EXPECT_EQ(weft::ranges::set_symmetric_difference(weft::par, a, b, two).out, two.end());
  EXPECT_EQ(two, (std::vector{1, 3}));
}

TEST(RangesNumeric, sums_a_member) {
  const std::vector<item> all = shuffled(large);
  const long sum = long{large} * (large - 1) / 2;

  EXPECT_EQ(weft::ranges::reduce(weft::par, all, 0L, std::plus<>(), &item::tag), sum);
  EXPECT_EQ(weft::ranges::reduce(weft::par, std::views::iota(0L, long{large})), sum);
  EXPECT_EQ(weft::ranges::transform_reduce(weft::par, all, 1L, std::plus<>(), &item::tag), sum + 1);
  EXPECT_EQ(weft::ranges::transform_reduce(weft::par, counted(4), counted(3), 0L), 5);
  EXPECT_EQ(
      weft::ranges::reduce(weft::par(weft::as_future), all, 0L, std::plus<>(), &item::tag).get(),
      sum);
}

TEST(RangesNumeric, scans_as_much_as_there_is_room_for) {
  const std::vector<int> ones(large, 1);
  std::vector<int> sums(large - 1);

  const auto [in, out] = weft::ranges::inclusive_scan(weft::par, ones, sums);
  EXPECT_EQ(in, ones.end() - 1);
  EXPECT_EQ(out, sums.end());
  EXPECT_EQ(sums,
            std::vector<int>(std::views::iota(1, large).begin(), std::views::iota(1, large).end()));
  weft::ranges::inclusive_scan(weft::par, ones, sums, std::plus<>(), 5);
  EXPECT_EQ(sums.back(), large + 4);
  weft::ranges::exclusive_scan(weft::par, ones, sums, 0);
  EXPECT_EQ(sums, counted(large - 1));
  weft::ranges::transform_inclusive_scan(weft::par, ones, sums, std::plus<>(), std::negate<>());
  EXPECT_EQ(sums.back(), 1 - large);
  weft::ranges::transform_inclusive_scan(weft::par, ones, sums, std::plus<>(), std::negate<>(), 1);
  EXPECT_EQ(sums.back(), 2 - large);
  weft::ranges::transform_exclusive_scan(weft::par, ones, sums, 0, std::plus<>(), std::negate<>());
  EXPECT_EQ(sums.back(), 2 - large);
}

TEST(RangesNumeric, subtracts_neighbours) {
  std::vector<int> squares = counted(large);
  std::ranges::transform(squares, squares.begin(), [](int x) { return x / 2 * 3; });
  std::vector<int> steps(large);

  weft::ranges::adjacent_difference(weft::par, squares, steps);

  EXPECT_EQ(steps[0], 0);
  EXPECT_EQ(steps[1], 0);
  EXPECT_EQ(steps[40000], 3);
}

}  // namespace ranges_sort_test
