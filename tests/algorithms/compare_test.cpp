// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons of two ranges, and searches for sequences, runs and one of several values.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <list>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/contains.hpp"
#include "weft/algorithms/equal.hpp"
#include "weft/algorithms/find_first_of.hpp"
#include "weft/algorithms/includes.hpp"
#include "weft/algorithms/lexicographical_compare.hpp"
#include "weft/algorithms/mismatch.hpp"
#include "weft/algorithms/search.hpp"
#include "weft/algorithms/starts_with.hpp"

#include "algorithms/map_support.hpp"

namespace compare_test {

using weft::test::chunk;
using weft::test::sizes;

class Compare : public weft::test::on_workers {};

/// `n` values below `num_values`, the same in every run.
template <class T>
std::vector<T> drawn(std::size_t n, int num_values, unsigned seed = 1) {
  std::minstd_rand random(seed);
  std::vector<T> values(n);
  for (T& value : values) {
    value = static_cast<T>(random() % static_cast<unsigned>(num_values));
  }
  return values;
}

TEST_P(Compare, the_first_difference_is_found) {
  for (const std::size_t n : sizes) {
    const auto a = weft::test::counted<double>(n);
    auto b = a;
    EXPECT_TRUE(weft::equal(chunked(), a.begin(), a.end(), b.begin()));
    EXPECT_TRUE(weft::equal(measured(), a.begin(), a.end(), b.begin(), b.end()));
    for (const std::size_t i : {std::size_t{0}, chunk - 1, chunk, n / 2, n - 1}) {
      if (i >= n) {
        continue;
      }
      b[i] = -1;
      const auto expected = std::mismatch(a.begin(), a.end(), b.begin());
      EXPECT_EQ(weft::mismatch(chunked(), a.begin(), a.end(), b.begin()), expected);
      EXPECT_EQ(weft::mismatch(measured(), a.begin(), a.end(), b.begin(), b.end()), expected);
      EXPECT_EQ(weft::mismatch(chunked(), a.begin(), a.end(), b.begin(), std::less_equal<>{}),
                expected);
      EXPECT_FALSE(weft::equal(chunked(), a.begin(), a.end(), b.begin()));
      EXPECT_FALSE(weft::equal(chunked(), a.begin(), a.end() - 1, b.begin(), b.end()));
      b[i] = a[i];
    }
  }
}

TEST_P(Compare, the_shorter_range_bounds_the_search) {
  const std::vector<int> a(100, 1);
  const std::list<int> b(50, 1);

  const auto ends = weft::mismatch(chunked(), a.begin(), a.end(), b.begin(), b.end());

  EXPECT_EQ(ends.first, a.begin() + 50);
  EXPECT_EQ(ends.second, b.end());
  EXPECT_FALSE(weft::equal(chunked(), a.begin(), a.end(), b.begin(), b.end()));
  EXPECT_TRUE(weft::equal(chunked(), b.begin(), b.end(), a.begin()));
}

TEST_P(Compare, ranges_are_ordered_as_in_a_dictionary) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t n : sizes) {
    const auto a = weft::test::counted<double>(n);
    auto b = a;
    const auto agree = [&] {
      EXPECT_EQ(weft::lexicographical_compare(chunked(), a.begin(), a.end(), b.begin(), b.end()),
                std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end()));
      EXPECT_EQ(
          weft::lexicographical_compare(
              measured(), b.begin(), b.end(), a.begin(), a.end(), std::greater<>{}),
          std::lexicographical_compare(b.begin(), b.end(), a.begin(), a.end(), std::greater<>{}));
    };
    agree();
    for (const std::size_t i : {std::size_t{0}, chunk, n / 2, n - 1}) {
      for (const double value : {-1.0, 20'000.0, nan}) {
        if (i < n) {
          b[i] = value;
          agree();
          b[i] = a[i];
        }
      }
    }
    b.push_back(0);
    agree();
  }
  const std::vector<std::string> words{"task", "weft"};
  const std::vector<std::string> more{"task", "weft", "zip"};
  EXPECT_TRUE(weft::lexicographical_compare(
      chunked(), words.begin(), words.end(), more.begin(), more.end()));
}

TEST_P(Compare, beginnings_and_ends_are_recognised) {
  const auto all = weft::test::counted<int>(1000);
  for (const std::ptrdiff_t size : {0, 1, 40, 999, 1000}) {
    const std::vector<int> front(all.begin(), all.begin() + size);
    const std::vector<int> back(all.end() - size, all.end());
    const auto less = [](int a, int b) { return a <= b; };
    EXPECT_TRUE(weft::starts_with(chunked(), all.begin(), all.end(), front.begin(), front.end()));
    EXPECT_TRUE(weft::ends_with(chunked(), all.begin(), all.end(), back.begin(), back.end()));
    EXPECT_TRUE(weft::ends_with(chunked(), all.begin(), all.end(), back.begin(), back.end(), less));
    EXPECT_EQ(weft::ends_with(chunked(), all.begin(), all.end(), front.begin(), front.end()),
              size == 0 || size == 1000);
    EXPECT_EQ(weft::starts_with(chunked(), all.begin(), all.end() - 1, all.begin(), all.end()),
              false);
  }
}

TEST_P(Compare, inclusion_compares_about_as_often_as_the_standard_does) {
  constexpr std::size_t n = 20'000;
  std::vector<int> distinct(n);
  std::iota(distinct.begin(), distinct.end(), 0);
  const std::vector<int> equal(n, 1);
  for (const std::vector<int>& all : {distinct, equal}) {
    std::atomic<std::size_t> num_compared{0};
    const auto less = [&num_compared](int a, int b) {
      num_compared.fetch_add(1, std::memory_order_relaxed);
      return a < b;
    };
    EXPECT_TRUE(weft::includes(measured(), all.begin(), all.end(), all.begin(), all.end(), less));
    EXPECT_LE(num_compared, 5 * n / 2);  // 2 for each that is wanted, and some for each chunk
  }
}

TEST_P(Compare, inclusion_counts_equal_elements) {
  for (const std::size_t n : sizes) {
    for (const int num_values : {1, 7, 1000}) {
      auto a = drawn<int>(n, num_values);
      std::sort(a.begin(), a.end());
      const auto agrees = [&](const std::vector<int>& b) {
        EXPECT_EQ(weft::includes(chunked(), a.begin(), a.end(), b.begin(), b.end()),
                  std::includes(a.begin(), a.end(), b.begin(), b.end()))
            << n << " of " << num_values;
      };
      agrees(a);
      agrees({});
      std::vector<int> some;
      for (std::size_t i = 0; i < n; i += 3) {
        some.push_back(a[i]);
      }
      agrees(some);
      for (std::size_t i = 0; i < some.size(); i += 1 + some.size() / 3) {
        auto wrong = some;
        wrong[i] = -1;
        std::sort(wrong.begin(), wrong.end());
        agrees(wrong);
        wrong = some;
        std::fill(wrong.begin(), wrong.end(), some[i]);  // often more of them than there are
        agrees(wrong);
        wrong[wrong.size() - 1] = num_values;
        agrees(wrong);
      }
    }
  }
}

TEST_P(Compare, sequences_are_found_where_the_standard_finds_them) {
  for (const std::size_t n : {0UL, 1UL, 36UL, 37UL, 38UL, 1024UL, 3001UL}) {
    for (const int num_values : {1, 2, 4}) {
      const auto all = drawn<double>(n, num_values);
      for (const std::size_t size : {0UL, 1UL, 2UL, 5UL, 9UL, 50UL}) {
        for (const std::size_t from : {0UL, n / 2, n - std::min(n, size)}) {
          std::vector<double> sequence(all.begin() + static_cast<std::ptrdiff_t>(from), all.end());
          sequence.resize(size, 1);
          const auto first = std::search(all.begin(), all.end(), sequence.begin(), sequence.end());
          const auto last = std::find_end(all.begin(), all.end(), sequence.begin(), sequence.end());
          EXPECT_EQ(
              weft::search(chunked(), all.begin(), all.end(), sequence.begin(), sequence.end()),
              first);
          EXPECT_EQ(
              weft::find_end(chunked(), all.begin(), all.end(), sequence.begin(), sequence.end()),
              last);
          EXPECT_EQ(weft::contains_subrange(
                        measured(), all.begin(), all.end(), sequence.begin(), sequence.end()),
                    size == 0 || first != all.end());
        }
      }
    }
  }
}

TEST_P(Compare, sequences_are_compared_by_the_predicate) {
  const auto all = drawn<int>(2000, 100);
  const std::vector<int> sequence{50, 51, 52};
  const auto near = [](int a, int b) { return a - b < 20 && b - a < 20; };

  EXPECT_EQ(
      weft::search(measured(), all.begin(), all.end(), sequence.begin(), sequence.end(), near),
      std::search(all.begin(), all.end(), sequence.begin(), sequence.end(), near));
  EXPECT_EQ(
      weft::find_end(chunked(), all.begin(), all.end(), sequence.begin(), sequence.end(), near),
      std::find_end(all.begin(), all.end(), sequence.begin(), sequence.end(), near));
}

TEST_P(Compare, runs_are_found_where_the_standard_finds_them) {
  for (const std::size_t n : {0UL, 1UL, 36UL, 37UL, 1024UL, 20'011UL}) {
    for (const int num_values : {1, 2, 3, 400}) {
      auto all = drawn<int>(n, num_values);
      if (n > 1000) {
        std::fill_n(all.begin() + 555, 300, 1);
      }
      if (num_values == 400) {  // rare: each size first stands behind shorter ones
        for (std::size_t i = 32, size = 1; i + size < n; i += 31 * size, size = size % 21 + 1) {
          std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(i), size, 1);
        }
      }
      for (const int count : {-1, 0, 1, 2, 3, 5, 20, 300, 301, 20'011}) {
        EXPECT_EQ(weft::search_n(chunked(), all.begin(), all.end(), count, 1),
                  std::search_n(all.begin(), all.end(), count, 1))
            << count << " in " << n << " of " << num_values;
        EXPECT_EQ(weft::search_n(measured(), all.begin(), all.end(), count, 1, std::less<>{}),
                  std::search_n(all.begin(), all.end(), count, 1, std::less<>{}));
      }
    }
  }
}

TEST_P(Compare, one_of_several_values_is_found) {
  const std::vector<int> values{-1, -2, -3};
  for (const std::size_t n : sizes) {
    auto all = weft::test::counted<int>(n);
    const auto agree = [&](auto policy) {
      EXPECT_EQ(weft::find_first_of(policy, all.begin(), all.end(), values.begin(), values.end()),
                std::find_first_of(all.begin(), all.end(), values.begin(), values.end()));
    };
    agree(chunked());
    if (n > 2) {
      all[n - 1] = -1;
      all[n / 2] = -3;
      agree(chunked());
      agree(measured());
      const auto opposite = [](int a, int b) { return a == -b; };
      EXPECT_EQ(weft::find_first_of(
                    chunked(), all.begin(), all.end(), values.begin(), values.end(), opposite),
                std::find_first_of(all.begin(), all.end(), values.begin(), values.end(), opposite));
    }
    EXPECT_EQ(weft::find_first_of(chunked(), all.begin(), all.end(), values.end(), values.end()),
              all.end());
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, Compare, testing::Values(1, 2, 7));

}  // namespace compare_test
