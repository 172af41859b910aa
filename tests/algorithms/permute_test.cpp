// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// swap_ranges, reverse, rotate, shift and their copying forms.
#include <algorithm>
#include <cstddef>
#include <forward_list>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/reverse.hpp"
#include "weft/algorithms/rotate.hpp"
#include "weft/algorithms/shift.hpp"
#include "weft/algorithms/swap_ranges.hpp"
#include "weft/tasks/runtime.hpp"

#include "algorithms/map_support.hpp"

namespace permute_test {

using weft::test::counted;
using weft::test::sizes;

class Permute : public weft::test::on_workers {};

std::vector<std::string> words(std::size_t n) {
  std::vector<std::string> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    all[i] = "a word that is too long to be kept inside: " + std::to_string(i);
  }
  return all;
}

/// Distances worth trying in a range of n.
std::vector<std::ptrdiff_t> distances(std::size_t n) {
  const auto size = static_cast<std::ptrdiff_t>(n);
  std::vector<std::ptrdiff_t> all{0, 1, 2, 37, 150, size / 3, size / 2, size - 1, size};
  std::erase_if(all, [size](std::ptrdiff_t m) { return m < 0 || m > size; });
  return all;
}

TEST_P(Permute, swaps_two_ranges) {
  for (const std::size_t n : sizes) {
    const auto numbers = counted<double>(n);
    auto a = numbers;
    std::vector<double> b(n + 1, -1.0);
    auto left = words(n);
    std::vector<std::string> right(n);

    const auto end = weft::swap_ranges(chunked(), a.begin(), a.end(), b.begin());
    weft::swap_ranges(chunked(), left.begin(), left.end(), right.begin());

    ASSERT_EQ(end - b.begin(), static_cast<std::ptrdiff_t>(n));
    ASSERT_TRUE(std::equal(numbers.begin(), numbers.end(), b.begin()));
    ASSERT_EQ(std::count(a.begin(), a.end(), -1.0), static_cast<std::ptrdiff_t>(n));
    ASSERT_EQ(b.back(), -1.0);
    ASSERT_EQ(right, words(n));
  }
}

TEST_P(Permute, reverses_as_std_does) {
  for (const std::size_t n : sizes) {
    const auto in = counted<int>(n);
    auto expected = in;
    auto got = in;
    std::vector<int> copied(n);
    auto expected_words = words(n);
    auto got_words = expected_words;

    std::reverse(expected.begin(), expected.end());
    std::reverse(expected_words.begin(), expected_words.end());
    weft::reverse(chunked(), got.begin(), got.end());
    weft::reverse(chunked(), got_words.begin(), got_words.end());
    const auto end = weft::reverse_copy(chunked(), in.begin(), in.end(), copied.begin());

    ASSERT_EQ(got, expected);
    ASSERT_EQ(got_words, expected_words);
    ASSERT_EQ(copied, expected);
    ASSERT_EQ(end, copied.end());
  }
}

template <class T>
void reverses_wherever_lines_begin(const auto& policy) {
  constexpr std::size_t longest = 5000;
  const std::vector<T> in = counted<T>(longest + 1);
  const T untouched{111};
  for (const std::size_t n : {std::size_t{700}, std::size_t{1111}, longest}) {
    for (std::size_t begin = 0; begin < 20; ++begin) {
      const auto first = static_cast<std::ptrdiff_t>(begin);
      const auto last = first + static_cast<std::ptrdiff_t>(n);
      std::vector<T> expected(n + 40, untouched);
      std::reverse_copy(in.begin() + 1, in.begin() + 1 + (last - first), expected.begin() + first);
      std::vector<T> reversed(n + 40, untouched);
      std::vector<T> copied = reversed;
      std::copy_n(in.begin() + 1, n, reversed.begin() + first);

      weft::reverse(policy, reversed.begin() + first, reversed.begin() + last);
      weft::reverse_copy(
          policy, in.begin() + 1, in.begin() + 1 + (last - first), copied.begin() + first);

      ASSERT_EQ(reversed, expected) << n << " from " << begin;
      ASSERT_EQ(copied, expected) << n << " from " << begin;
    }
  }
}

TEST_P(Permute, reverses_wherever_lines_begin) {
  reverses_wherever_lines_begin<double>(chunked());
  reverses_wherever_lines_begin<float>(chunked());
  reverses_wherever_lines_begin<double>(weft::par);
  reverses_wherever_lines_begin<short>(weft::par);
}

TEST_P(Permute, rotates_as_std_does) {
  for (const std::size_t n : sizes) {
    for (const std::ptrdiff_t m : distances(n)) {
      const auto in = counted<double>(n);
      auto expected = in;
      auto got = in;
      std::vector<double> copied(n);

      const auto expected_end =
          std::rotate(expected.begin(), expected.begin() + m, expected.end()) - expected.begin();
      const auto end = weft::rotate(chunked(), got.begin(), got.begin() + m, got.end());
      weft::rotate_copy(chunked(), in.begin(), in.begin() + m, in.end(), copied.begin());

      ASSERT_EQ(end - got.begin(), expected_end) << n << " by " << m;
      ASSERT_EQ(got, expected) << n << " by " << m;
      ASSERT_EQ(copied, expected) << n << " by " << m;
    }
  }
}

TEST_P(Permute, sides_of_any_length_are_rotated_in_and_beyond_the_caches) {
  for (const std::size_t n : {std::size_t{9'001}, std::size_t{70'001}}) {
    const auto in = counted<double>(n);
    const auto size = static_cast<std::ptrdiff_t>(n);
    for (const std::ptrdiff_t m : {std::ptrdiff_t{3}, size / 5, size / 3, size / 2, size - 2'200}) {
      auto expected = in;
      auto got = in;

      std::rotate(expected.begin(), expected.begin() + m, expected.end());
      weft::rotate(chunked(), got.begin(), got.begin() + m, got.end());

      ASSERT_EQ(got, expected) << n << " by " << m;
    }
  }
}

TEST_P(Permute, rows_in_the_caches_are_rotated_whatever_is_over) {
  const auto check = [this]<class T>(std::size_t n, std::ptrdiff_t m, T /*type*/) {
    std::vector<T> got(n);
    for (std::size_t i = 0; i < n; ++i) {
      got[i] = static_cast<T>(i % 251);
    }
    auto expected = got;
    std::rotate(expected.begin(), expected.begin() + m, expected.end());
    weft::rotate(chunked(), got.begin(), got.begin() + m, got.end());
    ASSERT_EQ(got, expected) << n << " by " << m;
  };
  for (const std::size_t length : {31U, 32U, 33U, 64U, 95U, 300U, 1200U}) {
    for (const std::size_t num_rows : {2U, 3U, 7U, 9U}) {
      for (const std::size_t over : {0U, 1U, 30U, 32U, 33U, 299U, 600U}) {
        const std::size_t n = length * num_rows + std::min(over, length - 1);
        const auto m = static_cast<std::ptrdiff_t>(length);
        check(n, m, double{});
        check(n, static_cast<std::ptrdiff_t>(n) - m, double{});
        check(n, m, static_cast<unsigned char>(0));
        check(n, static_cast<std::ptrdiff_t>(n) - m, 0);
      }
    }
  }
}

TEST_P(Permute, rotates_what_can_only_be_moved) {
  const std::size_t n = 3000;
  for (const std::ptrdiff_t m : distances(n)) {
    std::vector<std::unique_ptr<int>> all(n);
    std::generate(all.begin(), all.end(), [i = 0]() mutable { return std::make_unique<int>(i++); });

    weft::rotate(chunked(), all.begin(), all.begin() + m, all.end());

    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(*all[i], static_cast<int>((i + static_cast<std::size_t>(m)) % n));
    }
  }
}

TEST_P(Permute, shifts_as_std_does) {
  for (const std::size_t n : sizes) {
    for (const std::ptrdiff_t m : distances(n)) {
      const auto in = counted<int>(n);
      auto left = in;
      auto right = in;

      const auto left_end = weft::shift_left(chunked(), left.begin(), left.end(), m);
      const auto right_begin = weft::shift_right(chunked(), right.begin(), right.end(), m);

      const auto size = static_cast<std::ptrdiff_t>(n);
      ASSERT_EQ(left_end - left.begin(), m == 0 ? size : size - m) << n << " by " << m;
      ASSERT_EQ(right_begin - right.begin(), m) << n << " by " << m;
      ASSERT_TRUE(std::equal(left.begin(), left_end, in.begin() + m)) << n << " by " << m;
      ASSERT_TRUE(std::equal(right_begin, right.end(), in.begin())) << n << " by " << m;
    }
  }
}

TEST_P(Permute, shifts_words) {
  const std::size_t n = 3000;
  const auto in = words(n);
  for (const std::ptrdiff_t m : distances(n)) {
    auto left = in;
    auto right = in;

    const auto left_end = weft::shift_left(chunked(), left.begin(), left.end(), m);
    const auto right_begin = weft::shift_right(chunked(), right.begin(), right.end(), m);

    ASSERT_TRUE(std::equal(left.begin(), left_end, in.begin() + m)) << m;
    ASSERT_TRUE(std::equal(right_begin, right.end(), in.begin())) << m;
  }
}

TEST_P(Permute, long_distances_are_shifted_by_columns) {
  const std::size_t n = 1'400'003;
  const auto in = counted<int>(n);
  for (const std::ptrdiff_t m : {65'536, 300'001, 699'999, 700'003, 1'400'001}) {
    auto left = in;
    auto right = in;

    weft::shift_left(measured(), left.begin(), left.end(), m);
    weft::shift_right(chunked(), right.begin(), right.end(), m);

    ASSERT_TRUE(std::equal(in.begin() + m, in.end(), left.begin())) << m;
    ASSERT_TRUE(std::equal(in.begin(), in.end() - m, right.begin() + m)) << m;
  }
}

TEST_P(Permute, words_are_shifted_by_columns) {
  const std::size_t n = 20'000;
  const std::ptrdiff_t m = 9'001;  // more than 256 KiB of words
  const auto in = words(n);
  auto left = in;
  auto right = in;

  weft::shift_left(measured(), left.begin(), left.end(), m);
  weft::shift_right(measured(), right.begin(), right.end(), m);

  EXPECT_TRUE(std::equal(in.begin() + m, in.end(), left.begin()));
  EXPECT_TRUE(std::equal(in.begin(), in.end() - m, right.begin() + m));
}

TEST_P(Permute, long_distances_are_rotated) {
  const std::size_t n = 1'400'003;
  const auto in = counted<int>(n);
  auto turned = in;
  const std::ptrdiff_t m = 300'001;

  weft::rotate(measured(), turned.begin(), turned.end() - m, turned.end());

  EXPECT_TRUE(std::equal(in.begin(), in.end() - m, turned.begin() + m));
  EXPECT_TRUE(std::equal(in.end() - m, in.end(), turned.begin()));
}

TEST_P(Permute, long_sides_are_rotated_in_rows) {
  const std::size_t n = 900'000;
  const auto in = counted<int>(n);
  for (const std::ptrdiff_t m :
       {300'000, 450'000, 600'000, 343'765, 556'235, 100'000, 299'999, 224'900, 99'999}) {
    auto got = in;

    weft::rotate(measured(), got.begin(), got.begin() + m, got.end());

    ASSERT_TRUE(std::equal(in.begin() + m, in.end(), got.begin())) << m;
    ASSERT_TRUE(std::equal(in.begin(), in.begin() + m, got.end() - m)) << m;
  }
}

TEST(PermuteOnManyWorkers, no_piece_of_a_row_is_shorter_than_what_is_over) {
  weft::runtime runtime(
      weft::test::with_workers(9));  // which would cut a row in 72 pieces of 910 columns
  constexpr std::size_t length = 65'540;
  const auto in = counted<int>(20 * length + 1000);
  auto got = in;

  weft::rotate(weft::par.on(runtime), got.begin(), got.begin() + length, got.end());

  EXPECT_TRUE(std::equal(in.begin() + length, in.end(), got.begin()));
  EXPECT_TRUE(std::equal(in.begin(), in.begin() + length, got.end() - length));
}

TEST_P(Permute, weaker_iterators_will_do) {
  std::forward_list<int> a{1, 2, 3, 4};
  std::list<int> b{1, 2, 3, 4};

  EXPECT_EQ(*weft::rotate(chunked(), a.begin(), std::next(a.begin()), a.end()), 1);
  weft::reverse(chunked(), b.begin(), b.end());
  EXPECT_EQ(weft::shift_left(chunked(), b.begin(), b.end(), 3), std::next(b.begin()));

  EXPECT_EQ(a, (std::forward_list<int>{2, 3, 4, 1}));
  EXPECT_EQ(b.front(), 1);
}

INSTANTIATE_TEST_SUITE_P(workers, Permute, testing::Values(1, 2, 7));

}  // namespace permute_test
