// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Range forms of algorithms that read: results as std::ranges', by projections, from any range.
#include <forward_list>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/ranges/compare.hpp"
#include "weft/algorithms/ranges/find.hpp"
#include "weft/algorithms/ranges/min_max.hpp"

#include "algorithms/item_support.hpp"

namespace ranges_read_test {

using weft::test::counted;
using weft::test::item;
using weft::test::items;

constexpr int large = 50000;

TEST(RangesFind, finds_by_projection) {
  const std::vector<item> all = items(large);

  EXPECT_EQ(weft::ranges::find(weft::par, all, 40000, &item::tag) - all.begin(), 40000);
  EXPECT_EQ(weft::ranges::find(weft::par, all, 7, &item::key), all.end());
  EXPECT_EQ(weft::ranges::find_if(
                weft::par, all, [](int tag) { return tag > 30000; }, &item::tag) -
                all.begin(),
            30001);
  EXPECT_EQ(weft::ranges::find_if_not(
                weft::seq, all, [](int tag) { return tag < 20; }, &item::tag) -
                all.begin(),
            20);
  EXPECT_EQ(weft::ranges::find_last(weft::par, all, 0, &item::key).begin()->tag, large - large % 7);
  EXPECT_TRUE(weft::ranges::find_last(weft::par, all, 9, &item::key).empty());
}

TEST(RangesFind, finds_in_views_and_lists) {
  const auto squares = std::views::iota(0, large) |
                       std::views::transform([](int i) { return static_cast<long>(i) * i; });
  const std::forward_list<int> list{3, 1, 2, 1, 0};

  EXPECT_EQ(weft::ranges::find(weft::par, squares, 1600000000L) - squares.begin(), 40000);
  EXPECT_EQ(*weft::ranges::find_last(weft::par, list, 1).begin(), 1);
  EXPECT_EQ(std::ranges::distance(weft::ranges::find_last(weft::par, list, 1)), 2);
  EXPECT_EQ(weft::ranges::count(weft::par, list, 1), 2);
}

TEST(RangesFind, a_temporary_container_dangles) {
  static_assert(std::is_same_v<decltype(weft::ranges::find(weft::par, std::vector<int>(), 1)),
                               std::ranges::dangling>);
}

TEST(RangesFind, futures_own_the_value) {
  const std::vector<std::string> all{"a", "b", "c"};

  auto later = weft::ranges::find(weft::par(weft::as_future), all, std::string("c"));

  EXPECT_EQ(later.get() - all.begin(), 2);
}

TEST(RangesFind, takes_values_that_cannot_be_copied) {
  std::vector<std::unique_ptr<int>> all(3);

  EXPECT_EQ(weft::ranges::find(weft::par, all, std::unique_ptr<int>()), all.begin());
}

TEST(RangesFind, asks_all_any_none_and_counts) {
  const std::vector<item> all = items(large);
  const auto is_small = [](int key) { return key < 7; };

  EXPECT_TRUE(weft::ranges::all_of(weft::par, all, is_small, &item::key));
  EXPECT_TRUE(weft::ranges::any_of(weft::par, all, std::not_fn(is_small), &item::tag));
  EXPECT_TRUE(weft::ranges::none_of(weft::par, all, std::not_fn(is_small), &item::key));
  EXPECT_EQ(weft::ranges::count_if(weft::par, all, is_small, &item::tag), 7);
  EXPECT_EQ(weft::ranges::count(weft::par, all, 49999, &item::tag), 1);
  EXPECT_TRUE(weft::ranges::contains(weft::par, all, 49999, &item::tag));
  EXPECT_FALSE(weft::ranges::contains(weft::par, all, large, &item::tag));
}

TEST(RangesFind, finds_neighbours_and_any_of_several) {
  std::vector<item> all = items(large);
  all[30000].key = all[30001].key;

  EXPECT_EQ(weft::ranges::adjacent_find(weft::par, all, {}, &item::key) - all.begin(), 30000);
  EXPECT_EQ(
      weft::ranges::find_first_of(weft::par, all, std::vector{40000L, 39000L}, {}, &item::tag) -
          all.begin(),
      39000);
}

TEST(RangesCompare, compares_by_projections) {
  const std::vector<item> all = items(large);
  std::vector<int> tags = counted(large);

  EXPECT_TRUE(weft::ranges::equal(weft::par, all, tags, {}, &item::tag));
  tags[40000] = 0;
  EXPECT_FALSE(weft::ranges::equal(weft::par, all, tags, {}, &item::tag));
  const auto [in1, in2] = weft::ranges::mismatch(weft::par, all, tags, {}, &item::tag);
  EXPECT_EQ(in1 - all.begin(), 40000);
  EXPECT_EQ(in2 - tags.begin(), 40000);
  EXPECT_FALSE(weft::ranges::equal(weft::par, tags, std::views::take(tags, 5)));
}

TEST(RangesCompare, order_is_asked_both_ways_with_the_right_projections) {
  const std::vector<item> small{{1, 9}, {2, 9}};
  const std::vector<item> great{{0, 1}, {0, 3}};

  EXPECT_TRUE(
      weft::ranges::lexicographical_compare(weft::par, small, great, {}, &item::key, &item::tag));
  EXPECT_FALSE(
      weft::ranges::lexicographical_compare(weft::par, great, small, {}, &item::tag, &item::key));
  EXPECT_TRUE(weft::ranges::includes(
      weft::par, small, std::vector<item>{{0, 2}}, {}, &item::key, &item::tag));
  EXPECT_FALSE(weft::ranges::includes(weft::par, small, great, {}, &item::key, &item::tag));
}

TEST(RangesCompare, finds_patterns) {
  const std::vector<item> all = items(large);
  const std::vector<int> pattern{5, 6, 0};

  const auto first = weft::ranges::search(weft::par, all, pattern, {}, &item::key);
  EXPECT_EQ(first.begin() - all.begin(), 5);
  EXPECT_EQ(first.size(), 3U);
  const auto last = weft::ranges::find_end(weft::par, all, pattern, {}, &item::key);
  EXPECT_EQ(last.begin()->tag, large - 3 - (large - 1) % 7);
  EXPECT_TRUE(weft::ranges::contains_subrange(weft::par, all, pattern, {}, &item::key));
  EXPECT_TRUE(weft::ranges::contains_subrange(weft::par, all, std::vector<int>(), {}, &item::key));
  EXPECT_TRUE(weft::ranges::search(weft::par, pattern, std::vector{6, 5}).empty());
  EXPECT_EQ(weft::ranges::search_n(weft::par, all, 2, 1, {}, &item::key).begin(), all.end());
  EXPECT_EQ(weft::ranges::search_n(weft::par, all, 1, 1, {}, &item::key).begin(), all.begin() + 1);
}

TEST(RangesCompare, knows_beginnings_and_ends) {
  const std::vector<item> all = items(large);

  EXPECT_TRUE(weft::ranges::starts_with(weft::par, all, counted(1000), {}, &item::tag));
  EXPECT_FALSE(weft::ranges::starts_with(weft::par, counted(3), counted(4)));
  EXPECT_TRUE(weft::ranges::ends_with(
      weft::par, all, std::views::iota(large - 1000, large), {}, &item::tag));
  EXPECT_FALSE(weft::ranges::ends_with(weft::par, all, counted(1000), {}, &item::tag));
}

TEST(RangesCompare, knows_order_heaps_and_parts) {
  std::vector<item> all = items(large);
  all[40000].tag = 1;

  EXPECT_FALSE(weft::ranges::is_sorted(weft::par, all, {}, &item::tag));
  EXPECT_EQ(weft::ranges::is_sorted_until(weft::par, all, {}, &item::tag) - all.begin(), 40000);
  EXPECT_TRUE(
      weft::ranges::is_heap(weft::par, all, std::greater<>(), [](const item&) { return 1; }));
  EXPECT_EQ(weft::ranges::is_heap_until(weft::par, all, std::greater<>(), &item::tag) - all.begin(),
            40000);
  EXPECT_TRUE(
      weft::ranges::is_partitioned(weft::par, counted(large), [](int x) { return x < 40000; }));
}

TEST(RangesMinMax, finds_the_least_and_the_greatest) {
  std::vector<item> all = items(large);
  all[40000].tag = -5;

  EXPECT_EQ(weft::ranges::min_element(weft::par, all, {}, &item::tag) - all.begin(), 40000);
  EXPECT_EQ(weft::ranges::max_element(weft::par, all, {}, &item::key) - all.begin(), 6);
  const auto [least, greatest] = weft::ranges::minmax_element(weft::par, all, {}, &item::key);
  EXPECT_EQ(least, all.begin());
  EXPECT_EQ(greatest->tag, large - 1 - large % 7);
  EXPECT_EQ(weft::ranges::min(weft::par, counted(large), std::greater<>()), large - 1);
  EXPECT_EQ(weft::ranges::max(weft::par, all, {}, &item::tag).tag, large - 1);
  EXPECT_EQ(weft::ranges::minmax(weft::par, std::views::iota(-3, large)).min, -3);
}

}  // namespace ranges_read_test
