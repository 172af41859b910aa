// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Range forms of algorithms that write: as std::ranges', with outputs that are not written past
// their end.
#include <algorithm>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <memory>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/ranges/copy.hpp"
#include "weft/algorithms/ranges/copy_if.hpp"
#include "weft/algorithms/ranges/for_each.hpp"
#include "weft/algorithms/ranges/memory.hpp"
#include "weft/algorithms/ranges/rearrange.hpp"
#include "weft/algorithms/ranges/replace_copy.hpp"
#include "weft/algorithms/ranges/transform.hpp"
#include "weft/tasks/future.hpp"

#include "algorithms/item_support.hpp"

namespace ranges_write_test {

using weft::test::counted;
using weft::test::item;
using weft::test::items;

constexpr int large = 50000;

bool is_even(int x) { return x % 2 == 0; }

TEST(RangesForEach, calls_with_projections) {
  std::vector<item> all = items(large);

  const auto end = weft::ranges::for_each(weft::par, all, [](int& tag) { ++tag; }, &item::tag);

  EXPECT_EQ(end, all.end());
  EXPECT_EQ(all.back(), (item{(large - 1) % 7, large}));
  EXPECT_EQ(weft::ranges::for_each_n(weft::seq, all.begin(), 3, [](item& x) { x = {}; }),
            all.begin() + 3);
  EXPECT_EQ(all[2], item());
}

TEST(RangesForEach, a_temporary_container_dangles) {
  static_assert(
      std::is_same_v<decltype(weft::ranges::for_each(weft::par, std::vector<int>(3), [](int) {})),
                     std::ranges::dangling>);
  int sum = 0;
  weft::ranges::for_each(weft::seq, counted(4), [&sum](int x) { sum += x; });

  EXPECT_EQ(sum, 6);
}

TEST(RangesForEach, futures_give_the_end) {
  std::vector<int> all = counted(large);

  auto later = weft::ranges::for_each(weft::par(weft::as_future), all, [](int& x) { x = 1; });

  static_assert(std::is_same_v<decltype(later), weft::future<std::vector<int>::iterator>>);
  EXPECT_EQ(later.get(), all.end());
  EXPECT_EQ(std::ranges::count(all, 1), large);
}

TEST(RangesForEach, takes_sentinels_and_views) {
  std::vector<int> all = counted(large);
  auto part = std::views::take_while(all, [](int x) { return x < 100; });

  weft::ranges::for_each(weft::par, part, [](int& x) { x = 0; });
  weft::ranges::for_each(weft::par, all.begin() + 200, all.end(), [](int& x) { x = 0; });

  EXPECT_EQ(std::reduce(all.begin(), all.end()), (100 + 199) * 50);
}

TEST(RangesCopy, outputs_are_not_written_past_their_end) {
  const std::vector<int> from = counted(large);
  std::vector<int> to(large / 2, -1);

  const auto [in, out] = weft::ranges::copy(weft::par, from, to);

  EXPECT_EQ(in, from.begin() + large / 2);
  EXPECT_EQ(out, to.end());
  EXPECT_TRUE(std::ranges::equal(from | std::views::take(large / 2), to));
  const auto doubled = weft::ranges::transform(
      weft::par, from.begin(), from.end(), to.begin(), to.begin() + 5, [](int x) { return -x; });
  EXPECT_EQ(doubled.in, from.begin() + 5);
  EXPECT_EQ(to[4], -4);
  EXPECT_EQ(to[5], 5);
}

TEST(RangesCopy, outputs_may_be_iterators) {
  const std::vector<int> from = counted(large);
  std::vector<int> to(large);

  const auto [in, out] = weft::ranges::copy(weft::par, from, to.begin());

  EXPECT_EQ(in, from.end());
  EXPECT_EQ(out, to.end());
  EXPECT_EQ(to, from);
  weft::ranges::copy(weft::par, from.begin(), from.begin() + 2, to.begin() + 1);
  EXPECT_EQ(to[2], 1);
  EXPECT_EQ(weft::ranges::copy_n(weft::seq, from.begin(), 4, std::span(to).first(3)).in,
            from.begin() + 3);
}

TEST(RangesCopy, takes_forward_lists) {
  const std::forward_list<int> from{1, 2, 3};
  std::vector<int> to(3);

  weft::ranges::copy(weft::par, from, to);

  EXPECT_EQ(to, (std::vector{1, 2, 3}));
}

TEST(RangesCopy, moves_what_cannot_be_copied) {
  std::vector<std::unique_ptr<int>> from(3);
  std::ranges::generate(from, [] { return std::make_unique<int>(1); });
  std::vector<std::unique_ptr<int>> to(3);

  weft::ranges::move(weft::par, from, to);

  EXPECT_EQ(*to[2], 1);
  EXPECT_EQ(from[2], nullptr);
}

TEST(RangesCopy, backwards_and_rotated_leave_out_what_comes_last) {
  const std::vector<int> from = counted(5);
  std::vector<int> to(3);

  const auto reversed = weft::ranges::reverse_copy(weft::par, from, to);

  EXPECT_EQ(to, (std::vector{4, 3, 2}));
  EXPECT_EQ(reversed.in1, from.end());
  EXPECT_EQ(reversed.in2, from.begin() + 2);
  const auto rotated = weft::ranges::rotate_copy(weft::par, from, from.begin() + 3, to);
  EXPECT_EQ(to, (std::vector{3, 4, 0}));
  EXPECT_EQ(rotated.in2, from.begin() + 1);
  std::vector<int> all(5);
  EXPECT_EQ(weft::ranges::rotate_copy(weft::par, from, from.begin() + 1, all).out, all.end());
  EXPECT_EQ(all, (std::vector{1, 2, 3, 4, 0}));
}

TEST(RangesTransform, maps_one_range_or_two) {
  const std::vector<item> all = items(large);
  const std::vector<int> numbers = counted(large - 1);
  std::vector<int> sums(large);

  weft::ranges::transform(weft::par, all, sums, std::negate<>(), &item::tag);
  EXPECT_EQ(sums[10], -10);
  const auto ends = weft::ranges::transform(
      weft::par, all, numbers, sums, [](int tag, int i) { return tag + i; }, &item::tag);

  EXPECT_EQ(sums[10], 20);
  EXPECT_EQ(sums.back(), 1 - large);
  EXPECT_EQ(ends.in1, all.end() - 1);
  EXPECT_EQ(ends.out, sums.end() - 1);
}

TEST(RangesFill, fills_generates_and_replaces) {
  std::vector<int> all(large);

  EXPECT_EQ(weft::ranges::fill(weft::par, all, 3), all.end());
  EXPECT_EQ(std::ranges::count(all, 3), large);
  EXPECT_EQ(weft::ranges::fill_n(weft::par, all.begin(), 10, 4), all.begin() + 10);
  EXPECT_EQ(weft::ranges::replace(weft::par, all, 4, 5), all.end());
  EXPECT_EQ(std::ranges::count(all, 5), 10);
  weft::ranges::replace_if(weft::par, all, [](int x) { return x == 3; }, 6);
  EXPECT_EQ(std::ranges::count(all, 6), large - 10);
  weft::ranges::generate(weft::par, all, [] { return 7; });
  EXPECT_EQ(weft::ranges::generate_n(weft::par, all.begin(), 2, [] { return 8; }), all.begin() + 2);
  EXPECT_EQ(std::ranges::count(all, 7), large - 2);
}

TEST(RangesFill, replaces_by_projection) {
  std::vector<item> all = items(large);
  std::vector<item> copies(large);

  weft::ranges::replace_copy(weft::par, all, copies, 0, item{9, 9}, &item::key);
  EXPECT_EQ(copies[7], (item{9, 9}));
  EXPECT_EQ(copies[8], (item{1, 8}));
  weft::ranges::replace_copy_if(weft::par, all, copies, is_even, item{9, 9}, &item::tag);
  EXPECT_EQ(copies[8], (item{9, 9}));
  weft::ranges::replace(weft::par, all, 6, item{9, 9}, &item::key);
  EXPECT_EQ(all[6], (item{9, 9}));
}

TEST(RangesSwap, swaps_as_far_as_both_reach) {
  std::vector<int> a = counted(large);
  std::vector<int> b(3, -1);

  const auto [in1, in2] = weft::ranges::swap_ranges(weft::par, a, b);

  EXPECT_EQ(in1, a.begin() + 3);
  EXPECT_EQ(in2, b.end());
  EXPECT_EQ(a[2], -1);
  EXPECT_EQ(b[2], 2);
}

TEST(RangesCopyIf, chooses_by_projection) {
  const std::vector<item> all = items(large);
  std::vector<item> chosen(large);

  const auto [in, out] = weft::ranges::copy_if(weft::par, all, chosen, is_even, &item::tag);
  EXPECT_EQ(in, all.end());
  EXPECT_EQ(out - chosen.begin(), large / 2);
  EXPECT_EQ(chosen[20000].tag, 40000);
  EXPECT_EQ(weft::ranges::remove_copy_if(weft::par, all, chosen.begin(), is_even, &item::tag).out,
            chosen.begin() + large / 2);
  EXPECT_EQ(chosen[20000].tag, 40001);
  EXPECT_EQ(weft::ranges::remove_copy(weft::par, all, chosen, 40001, &item::tag).out,
            chosen.end() - 1);
  EXPECT_EQ(chosen[40001].tag, 40002);
}

TEST(RangesCopyIf, choice_that_does_not_fit_ends_where_room_does) {
  const std::vector<int> all = counted(10 * large);
  for (const int room : {0, 1, 100, large, 5 * large - 1, 5 * large, 5 * large + 1}) {
    std::vector<int> chosen(static_cast<std::size_t>(room), -1);
    const int num_chosen = std::min(room, 5 * large);

    const auto [in, out] = weft::ranges::copy_if(weft::par, all, chosen, is_even);

    EXPECT_EQ(out - chosen.begin(), num_chosen);
    EXPECT_EQ(in - all.begin(), std::min(2 * room, 10 * large));
    for (int i = 0; i < num_chosen; ++i) {
      ASSERT_EQ(chosen[static_cast<std::size_t>(i)], 2 * i);
    }
  }
}

TEST(RangesCopyIf, few_of_many_are_found_for_little_room) {
  const std::vector<int> all = counted(10 * large);
  std::vector<int> chosen(3);

  const auto [in, out] =
      weft::ranges::copy_if(weft::par, all, chosen, [](int x) { return x % 100000 == 99999; });

  EXPECT_EQ(chosen, (std::vector{99999, 199999, 299999}));
  EXPECT_EQ(out, chosen.end());
  EXPECT_EQ(in - all.begin(), 399999);
}

TEST(RangesCopyIf, unique_elements_end_where_room_does) {
  std::vector<int> all = counted(2 * large);
  std::ranges::for_each(all, [](int& x) { x /= 3; });
  const int num_unique = (2 * large + 2) / 3;
  for (const int room : {0, 1, 20000, num_unique, 2 * large}) {
    std::vector<int> unique(static_cast<std::size_t>(room));
    const int num_copied = std::min(room, num_unique);

    const auto [in, out] = weft::ranges::unique_copy(weft::par, all, unique);

    EXPECT_EQ(out - unique.begin(), num_copied);
    EXPECT_EQ(in - all.begin(), std::min(3 * room, 2 * large));
    for (int i = 0; i < num_copied; ++i) {
      ASSERT_EQ(unique[static_cast<std::size_t>(i)], i);
    }
  }
}

TEST(RangesCopyIf, parts_what_fits) {
  const std::vector<int> all = counted(large);
  std::vector<int> even(large);
  std::vector<int> odd(large / 2);

  const auto parted = weft::ranges::partition_copy(weft::par, all, even, odd, is_even);
  EXPECT_EQ(parted.in, all.end());
  EXPECT_EQ(parted.out1 - even.begin(), large / 2);
  EXPECT_EQ(odd.back(), large - 1);
  odd.resize(3);
  const auto some = weft::ranges::partition_copy(weft::par, all, even, odd, is_even);
  EXPECT_EQ(some.in - all.begin(), 7);
  EXPECT_EQ(some.out1 - even.begin(), 4);
  EXPECT_EQ(some.out2, odd.end());
}

TEST(RangesRearrange, removes_and_makes_unique) {
  std::vector<item> all = items(large);

  const auto rest = weft::ranges::remove(weft::par, all, 0, &item::key);
  EXPECT_EQ(rest.end(), all.end());
  EXPECT_EQ(static_cast<int>(rest.size()), (large + 6) / 7);
  all.erase(rest.begin(), rest.end());
  all.erase(weft::ranges::remove_if(weft::par, all, is_even, &item::tag).begin(), all.end());
  EXPECT_EQ(all[0].tag, 1);
  EXPECT_EQ(all[3].tag, 9);
  const auto same = weft::ranges::unique(
      weft::par, all, [](int a, int b) { return a / 100 == b / 100; }, &item::tag);
  EXPECT_EQ(same.begin() - all.begin(), large / 100);
}

TEST(RangesRearrange, parts_elements) {
  std::vector<item> all = items(large);

  const auto odd = weft::ranges::stable_partition(weft::par, all, is_even, &item::tag);
  EXPECT_EQ(odd.begin() - all.begin(), large / 2);
  EXPECT_EQ(all[20000].tag, 40000);
  EXPECT_EQ(odd[20000].tag, 40001);
  const auto others =
      weft::ranges::partition(weft::par, all, [](int key) { return key == 3; }, &item::key);
  EXPECT_EQ(others.begin() - all.begin(), (large + 3) / 7);
  EXPECT_EQ(std::ranges::count(others, 3, &item::key), 0);
}

TEST(RangesRearrange, reverses_rotates_and_shifts) {
  std::vector<int> all = counted(large);

  EXPECT_EQ(weft::ranges::reverse(weft::par, all), all.end());
  EXPECT_EQ(all[0], large - 1);
  weft::ranges::reverse(weft::par, all.begin(), all.end());
  const auto moved = weft::ranges::rotate(weft::par, all, all.begin() + 10);
  EXPECT_EQ(moved.size(), 10U);
  EXPECT_EQ(moved[0], 0);
  EXPECT_EQ(all[0], 10);
  EXPECT_EQ(weft::ranges::shift_left(weft::par, all, 5).size(), large - 5U);
  EXPECT_EQ(all[0], 15);
  EXPECT_EQ(weft::ranges::shift_right(weft::par, all, 6).size(), large - 6U);
  EXPECT_EQ(all[6], 15);
}

TEST(RangesMemory, makes_and_destroys) {
  constexpr std::size_t n = 1000;
  std::allocator<std::string> allocator;
  const std::span<std::string> room(allocator.allocate(n), n);
  std::vector<std::string> from(n + 1, "something longer than the short ones");

  const auto made = weft::ranges::uninitialized_copy(weft::par, from, room);

  EXPECT_EQ(made.in, from.begin() + n);
  EXPECT_EQ(room.back(), from.back());
  weft::ranges::destroy(weft::par, room);
  weft::ranges::uninitialized_move_n(weft::par, from.begin(), n, room.data(), room.data() + n);
  weft::ranges::destroy_n(weft::par, room.data(), n);
  weft::ranges::uninitialized_fill(weft::par, room, "x");
  EXPECT_EQ(room.back(), "x");
  weft::ranges::destroy(weft::par, room);
  EXPECT_EQ(weft::ranges::uninitialized_value_construct(weft::par, room), room.end());
  EXPECT_EQ(room.back(), "");
  weft::ranges::destroy(weft::par, room);
  allocator.deallocate(room.data(), n);
}

TEST(RangesMemory, makes_and_destroys_as_many_as_there_are_and_fit) {
  constexpr std::ptrdiff_t n = 1000;
  std::allocator<std::string> allocator;
  const std::span<std::string> room(allocator.allocate(n), n);
  const std::string word = "something longer than the short ones";
  std::vector<std::string> from(n + 1, word);
  const auto first = room.begin();

  const auto copied =
      weft::ranges::uninitialized_copy_n(weft::par, from.begin(), n - 1, first, room.end());
  EXPECT_EQ(copied.in, from.end() - 2);
  EXPECT_EQ(copied.out, room.end() - 1);
  EXPECT_EQ(weft::ranges::destroy_n(weft::par, first, n - 1), room.end() - 1);
  EXPECT_EQ(weft::ranges::uninitialized_copy_n(weft::par, from.begin(), n, first, first + 3).in,
            from.begin() + 3);
  weft::ranges::destroy(weft::par, first, first + 3);
  const auto moved = weft::ranges::uninitialized_move(weft::par, from, room);
  EXPECT_EQ(moved.in, from.end() - 1);
  EXPECT_EQ(room.back(), word);
  EXPECT_EQ(from.back(), word);
  weft::ranges::destroy(weft::par, room);
  EXPECT_EQ(weft::ranges::uninitialized_default_construct(weft::par, room), room.end());
  EXPECT_EQ(room.front(), "");
  weft::ranges::destroy(weft::par, room);
  EXPECT_EQ(weft::ranges::uninitialized_default_construct_n(weft::par, first, 5), first + 5);
  EXPECT_EQ(weft::ranges::uninitialized_value_construct_n(weft::par, first + 5, 5), first + 10);
  EXPECT_EQ(room[9], "");
  EXPECT_EQ(weft::ranges::uninitialized_fill_n(weft::par, first + 10, 5, word), first + 15);
  EXPECT_EQ(room[14], word);
  weft::ranges::destroy(weft::par, first, first + 15);
  allocator.deallocate(room.data(), n);
}

}  // namespace ranges_write_test
