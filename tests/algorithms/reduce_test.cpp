// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, counts, folds and extremes: what the standard's sequential forms give.
#include "weft/algorithms/reduce.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/count.hpp"
#include "weft/algorithms/fold_left.hpp"
#include "weft/algorithms/min_max.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/transform_reduce.hpp"
#include "weft/tasks/future.hpp"

#include "algorithms/map_support.hpp"

namespace reduce_test {

using weft::test::counted;
using weft::test::sizes;

class Reduce : public weft::test::on_workers {};

TEST_P(Reduce, sums_agree_with_the_standard) {
  for (const std::size_t n : sizes) {
    const auto whole = counted<int>(n);
    const auto real = counted<double>(n);  // small whole numbers: every grouping is exact
    const double sum = std::accumulate(real.begin(), real.end(), 0.5);
    EXPECT_EQ(weft::reduce(chunked(), real.begin(), real.end(), 0.5), sum);
    EXPECT_EQ(weft::reduce(measured(), real.begin(), real.end()), sum - 0.5);
    EXPECT_EQ(weft::reduce(weft::seq, real.begin(), real.end(), 0.5), sum);
    EXPECT_EQ(weft::reduce(chunked(), whole.begin(), whole.end(), 0.5), sum);
    EXPECT_EQ(weft::reduce(chunked(), whole.begin(), whole.end()), static_cast<int>(sum));
    const auto greater = [](int a, int b) { return std::max(a, b); };
    EXPECT_EQ(weft::reduce(chunked(), whole.begin(), whole.end(), -1, greater),
              std::accumulate(whole.begin(), whole.end(), -1, greater));
  }
}

TEST_P(Reduce, order_is_kept) {
  for (const std::size_t n : sizes) {
    std::vector<std::string> letters(n);
    std::vector<char> characters(n);
    for (std::size_t i = 0; i < n; ++i) {
      characters[i] = static_cast<char>('a' + i % 26);
      letters[i] = characters[i];
    }
    const std::string expected = "." + std::string(characters.begin(), characters.end());
    EXPECT_EQ(weft::reduce(chunked(), letters.begin(), letters.end(), std::string(".")), expected);
    EXPECT_EQ(weft::transform_reduce(measured(),
                                     characters.begin(),
                                     characters.end(),
                                     std::string("."),
                                     std::plus<>{},
                                     [](char c) { return std::string(1, c); }),
              expected);
  }
}

/// A linear function: composition is associative but does not commute; no default constructor.
struct linear {
  linear(std::uint32_t a, std::uint32_t b) : slope(a), offset(b) {}
  bool operator==(const linear&) const = default;
  std::uint32_t slope;
  std::uint32_t offset;
};

TEST_P(Reduce, operands_need_neither_commute_nor_have_a_default) {
  const auto then = [](const linear& f, const linear& g) {
    return linear(f.slope * g.slope, f.offset * g.slope + g.offset);
  };
  for (const std::size_t n : sizes) {
    std::vector<linear> functions;
    functions.reserve(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      functions.emplace_back(2 * i + 3, i);
    }
    const linear expected = std::accumulate(functions.begin(), functions.end(), linear(1, 7), then);
    EXPECT_EQ(weft::reduce(chunked(), functions.begin(), functions.end(), linear(1, 7), then),
              expected);
    EXPECT_EQ(weft::reduce(measured(), functions.begin(), functions.end(), linear(1, 7), then),
              expected);
  }
}

TEST_P(Reduce, transformed_sums_agree_with_the_standard) {
  for (const std::size_t n : sizes) {
    const auto a = counted<double>(n);
    const std::vector<double> b(n, 2.0);
    const double sum = std::accumulate(a.begin(), a.end(), 0.0);
    EXPECT_EQ(weft::transform_reduce(chunked(), a.begin(), a.end(), b.begin(), 1.0), 2 * sum + 1);
    EXPECT_EQ(
        weft::transform_reduce(
            measured(), a.begin(), a.end(), 0.0, std::plus<>{}, [](double x) { return x + 1; }),
        sum + static_cast<double>(n));
    const auto least = [](double x, double y) { return std::min(x, y); };
    EXPECT_EQ(weft::transform_reduce(
                  chunked(), a.begin(), a.end(), b.begin(), 1e9, least, std::minus<>{}),
              n == 0 ? 1e9 : -2.0);
  }
}

TEST_P(Reduce, lists_are_reduced) {
  const std::list<int> list{1, 2, 3, 4};
  EXPECT_EQ(weft::reduce(chunked(), list.begin(), list.end()), 10);
  EXPECT_EQ(weft::count(chunked(), list.begin(), list.end(), 3), 1);
  EXPECT_EQ(*weft::max_element(chunked(), list.begin(), list.end()), 4);
}

TEST_P(Reduce, sums_of_minus_zeros_are_minus_zero) {
  for (const std::size_t n : sizes) {
    const std::vector<double> minus(n, -0.0);
    const std::vector<double> ones(n, 1.0);
    const auto same = [](double x) { return x; };
    const auto is_minus_zero = [](double x) { return x == 0 && std::signbit(x); };
    EXPECT_TRUE(is_minus_zero(weft::reduce(chunked(), minus.begin(), minus.end(), -0.0))) << n;
    EXPECT_TRUE(is_minus_zero(weft::reduce(measured(), minus.begin(), minus.end(), -0.0))) << n;
    EXPECT_TRUE(is_minus_zero(
        weft::transform_reduce(measured(), minus.begin(), minus.end(), -0.0, std::plus<>(), same)))
        << n;
    EXPECT_TRUE(is_minus_zero(
        weft::transform_reduce(measured(), minus.begin(), minus.end(), ones.begin(), -0.0)))
        << n;
  }
}

TEST_P(Reduce, a_deterministic_sum_has_the_same_bits) {
  for (const std::size_t n : {0UL, 1UL, 2UL, 2047UL, 2048UL, 2049UL, 2050UL, 300'001UL}) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = std::sin(static_cast<double>(i)) * std::pow(10.0, static_cast<double>(i % 30));
    }
    const double expected = weft::reduce_deterministic(weft::seq, values.begin(), values.end());
    for (int repeat = 0; repeat < 3; ++repeat) {
      EXPECT_EQ(weft::reduce_deterministic(measured(), values.begin(), values.end()), expected);
      EXPECT_EQ(weft::reduce(measured().with(weft::deterministic),
                             values.begin(),
                             values.end(),
                             0.0,
                             std::plus<>{}),
                expected);
    }
  }
}

TEST_P(Reduce, a_fold_is_what_a_loop_gives) {
  const std::vector<double> real(3000, 0.1);
  double sum = 0;
  for (const double value : real) {
    sum += value;
  }
  EXPECT_EQ(weft::fold_left(chunked(), real.begin(), real.end(), 0.0, std::plus<>{}), sum);
  const auto whole = counted<std::uint64_t>(3000);
  const auto hash = [](std::uint64_t h, std::uint64_t value) { return 31 * h + value; };
  EXPECT_EQ(weft::fold_left(chunked(), whole.begin(), whole.end(), std::uint64_t{1}, hash),
            std::accumulate(whole.begin(), whole.end(), std::uint64_t{1}, hash));
  EXPECT_EQ(
      weft::fold_left(chunked(), whole.begin(), whole.end(), std::uint64_t{0}, std::bit_xor<>{}),
      std::accumulate(whole.begin(), whole.end(), std::uint64_t{0}, std::bit_xor<>{}));
}

TEST_P(Reduce, counts_agree_with_the_standard) {
  for (const std::size_t n : sizes) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = static_cast<float>(i % 3);
    }
    const auto expected = std::count(values.begin(), values.end(), 1.0F);
    EXPECT_EQ(weft::count(chunked(), values.begin(), values.end(), 1), expected);
    EXPECT_EQ(weft::count(measured(), values.begin(), values.end(), 1.0F), expected);
    EXPECT_EQ(
        weft::count_if(chunked(), values.begin(), values.end(), [](float x) { return x == 1.0F; }),
        expected);
  }
}

TEST_P(Reduce, an_exception_of_the_operation_arrives) {
  const auto values = counted<int>(1000);
  for (const int bad : {0, 36, 37, 998, 999}) {
    const auto square = [bad](int x) {
      if (x == bad) {
        throw std::runtime_error("bad");
      }
      return x;
    };
    EXPECT_THROW(static_cast<void>(weft::transform_reduce(
                     chunked(), values.begin(), values.end(), 0, std::plus<>{}, square)),
                 std::runtime_error);
  }
}

TEST_P(Reduce, a_future_gives_the_value) {
  const std::vector<int> values(5000, 1);

  weft::future<int> sum = weft::reduce(chunked()(weft::as_future), values.begin(), values.end(), 0);

  EXPECT_EQ(sum.get(), 5000);
}

template <class Policy, class T, class Less>
void extremes_agree(const Policy& policy, const std::vector<T>& values, Less less) {
  EXPECT_EQ(weft::min_element(policy, values.begin(), values.end(), less),
            std::min_element(values.begin(), values.end(), less));
  EXPECT_EQ(weft::max_element(policy, values.begin(), values.end(), less),
            std::max_element(values.begin(), values.end(), less));
  EXPECT_EQ(weft::minmax_element(policy, values.begin(), values.end(), less),
            std::minmax_element(values.begin(), values.end(), less));
}

TEST_P(Reduce, of_equal_elements_the_standards_choice_is_found) {
  for (const std::size_t n : sizes) {
    auto few = counted<int>(n);
    for (int& value : few) {
      value = (value * 7919) % 5 - 2;
    }
    extremes_agree(chunked(), few, std::less<>{});
    extremes_agree(measured(), few, std::less<>{});
    extremes_agree(chunked(), few, std::greater<>{});
    const std::vector<double> equal(n, 3.0);
    extremes_agree(chunked(), equal, std::less<>{});
    extremes_agree(chunked(), counted<double>(n), std::less<>{});
    std::vector<double> zeros(n, -0.0);
    for (std::size_t i = n / 2; i < n; ++i) {
      zeros[i] = 0.0;
    }
    extremes_agree(chunked(), zeros, std::less<>{});
    auto falling = counted<double>(n);
    std::reverse(falling.begin(), falling.end());
    extremes_agree(measured(), falling, std::less<>{});
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, Reduce, testing::Values(1, 2, 7));

}  // namespace reduce_test
