// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem sort against std::sort, and its merges against std::merge.
#include "lab/inncabs/sort/sort.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "inncabs/inline_runtime.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/sort/merge_sort.hpp"
#include "lab/inncabs/sort/sort_futures.hpp"
#include "lab/inncabs/sort/sort_groups.hpp"

namespace weft::lab::inncabs::sort {
namespace sort_test {

using testing::inline_runtime;

/// Few different values, so that many are equal; cut-offs so low that all is divided often.
input with_repetitions(std::size_t size) {
  input made{.sorted_alone_below = 5, .merged_alone_below = 2};
  std::mt19937_64 generator(size);
  for (std::size_t i = 0; i < size; ++i) {
    made.numbers.push_back(static_cast<std::int64_t>(generator() % 50) - 25);
  }
  return made;
}

std::vector<std::int64_t> sorted(std::vector<std::int64_t> numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

TEST(SortOracle, agrees_with_the_standard_library_at_every_size) {
  for (std::size_t size = 0; size < 300; ++size) {
    const input from = with_repetitions(size);
    EXPECT_TRUE(std::ranges::equal(run_serial(from), sorted(from.numbers))) << size << " elements";
  }
}

TEST(SortOracle, sorts_what_is_sorted_already_and_the_reverse) {
  input from = with_repetitions(1000);
  from.numbers = sorted(from.numbers);
  const auto expected = from.numbers;

  EXPECT_TRUE(std::ranges::equal(run_serial(from), expected));
  std::ranges::reverse(from.numbers);
  EXPECT_TRUE(std::ranges::equal(run_serial(from), expected));
}

TEST(SortInput, is_a_shuffle_that_depends_on_the_seed_only) {
  const input from = make_input(input_class::tiny, 1);

  EXPECT_FALSE(std::ranges::is_sorted(from.numbers));
  EXPECT_EQ(from.numbers, make_input(input_class::tiny, 1).numbers);
  EXPECT_NE(from.numbers, make_input(input_class::tiny, 2).numbers);
  EXPECT_EQ(mismatch(from, run_serial(from)), "");
}

TEST(SortCheck, names_the_element_that_is_wrong) {
  const input from = make_input(input_class::tiny, 1);
  result found = run_serial(from);
  std::swap(found[17], found[18]);

  EXPECT_EQ(mismatch(from, found), "element 17 is 18, expected 17");
}

TEST(SortCheck, rejects_an_element_twice_and_one_missing) {
  const input from = make_input(input_class::tiny, 1);
  result found = run_serial(from);
  found.back() = found.front();
  EXPECT_EQ(mismatch(from, found), "element 97655 is 0, expected 97655");

  found.pop_back();
  EXPECT_EQ(mismatch(from, found), "97655 elements, expected 97656");
}

TEST(SortTasks, are_counted_by_hand_for_small_inputs) {
  input from = with_repetitions(0);
  from.numbers = {3, 1, 2};
  EXPECT_EQ(num_tasks(from), 0U);

  // Four quarters of 2 elements and two merges of those; no merge is divided.
  from.numbers = {0, 1, 2, 3, 4, 5, 6, 7};
  from.merged_alone_below = 8;
  EXPECT_EQ(num_tasks(from), 6U);
}

TEST(SortTasks, are_as_many_as_the_divisions_of_a_shuffle_into_halves) {
  // 4 + 16 + 64 parts; two merges for each of the 21 that are divided. Divided are only the merge
  // of all 97,656 elements (2 + 4 + 8), those of its halves (2 + 4 each) and the last one of each
  // quarter (2).
  EXPECT_EQ(num_tasks(make_input(input_class::tiny, 1)), 84U + 2 * 21 + 14 + 12 + 4 * 2);
}

TEST(MergePiece, is_divided_into_parts_that_lie_below_and_above) {
  const std::vector<std::int64_t> one{1, 3, 3, 3, 9};
  const std::vector<std::int64_t> other{2, 3, 3, 10};
  std::vector<std::int64_t> into(9);
  const auto [low, high] = merge_piece::of(other, one, into.data()).divided();
  low.merge_alone();
  high.merge_alone();

  EXPECT_EQ(low.longer.size() + low.shorter.size(), 3U);
  EXPECT_EQ(into, (std::vector<std::int64_t>{1, 2, 3, 3, 3, 3, 3, 9, 10}));
}

TEST(SortFutures, equals_the_oracle) {
  const input from = make_input(input_class::tiny, 3);
  const auto at_once = inline_runtime::launch::at_once;

  EXPECT_EQ(mismatch(from, run_futures<inline_runtime>(from, at_once)), "");
  const input repeating = with_repetitions(3000);
  EXPECT_EQ(run_futures<inline_runtime>(repeating, at_once), run_serial(repeating));
}

TEST(SortGroups, equals_the_oracle) {
  const input from = make_input(input_class::tiny, 3);

  EXPECT_EQ(mismatch(from, run_groups<inline_runtime>(from)), "");
  const input repeating = with_repetitions(3000);
  EXPECT_EQ(run_groups<inline_runtime>(repeating), run_serial(repeating));
}

}  // namespace sort_test
}  // namespace weft::lab::inncabs::sort
