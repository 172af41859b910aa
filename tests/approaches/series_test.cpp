// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle against ln(1+x) itself and against sums that were made term by term.
#include "lab/approaches/series.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace weft::lab::approaches {
namespace series_test {

constexpr long double epsilon = std::numeric_limits<double>::epsilon();

/// Terms [first, last) by the definition, the smallest first.
long double sum_by_definition(const term_range& which, long double x) {
  long double sum = 0;
  for (std::uint64_t e = which.last; e-- > which.first;) {
    const long double magnitude =
        std::pow(x, static_cast<long double>(e)) / static_cast<long double>(e);
    sum += e % 2 == 1 ? magnitude : -magnitude;
  }
  return sum;
}

TEST(ExactSum, is_zero_without_terms_and_x_with_one) {
  EXPECT_EQ(exact_sum({.n = 0, .x = 0.5}), 0.0L);
  EXPECT_EQ(exact_sum({.n = 1, .x = 0.5}), 0.5L);
  EXPECT_EQ(exact_sum({.n = 2, .x = 0.5}), 0.375L);
}

TEST(ExactSum, is_the_logarithm_once_the_series_has_converged) {
  for (const double x : {0.1, 0.5, 0.9}) {
    for (const std::uint64_t n : {std::uint64_t{1000}, std::uint64_t{10'000'000}}) {
      EXPECT_NEAR(static_cast<double>(exact_sum({.n = n, .x = x})), std::log1p(x), 1e-16)
          << "x = " << x << ", n = " << n;
    }
  }
}

TEST(ExactSum, of_a_long_series_agrees_with_its_terms) {
  // Both sides of where the rest is no longer added up, of an even and an odd number of terms.
  constexpr std::uint64_t last_added_up = std::uint64_t{1} << 20U;
  for (const double x : {0.9999, 0.999999, 0.999999999}) {
    const long double first_terms = sum_by_definition({.first = 1, .last = last_added_up + 1}, x);
    for (const std::uint64_t n : {last_added_up, last_added_up + 1, last_added_up + 1000}) {
      const long double expected =
          first_terms + sum_by_definition({.first = last_added_up + 1, .last = n + 1}, x);
      EXPECT_LE(std::abs(exact_sum({.n = n, .x = x}) - expected), epsilon / 8)
          << "x = " << x << ", n = " << n;
    }
  }
}

TEST(ExactSum, where_all_terms_count_is_a_harmonic_number) {
  constexpr std::uint64_t last = (std::uint64_t{1} << 20U) + 1;  // no longer added up
  long double sum = 0;
  for (std::uint64_t e = last; e > 0; --e) {
    sum -= 1 / static_cast<long double>(e);
  }
  EXPECT_LE(std::abs(exact_sum({.n = last, .x = x_of_check}) - sum), epsilon);
  EXPECT_LE(std::abs(exact_sum({.n = 4, .x = x_of_check}) + 25.0L / 12), epsilon);
}

TEST(ErrorBound, where_all_terms_count_is_less_than_any_term) {
  for (const std::uint64_t n : {1'000ULL, 1'000'000ULL, 1'000'000'000ULL}) {
    const auto expected = static_cast<double>(exact_sum({.n = n, .x = x_of_check}));
    EXPECT_LT(2 * error_max(expected, n, summation::in_order), 1 / static_cast<double>(n)) << n;
  }
}

TEST(Blocks, of_a_short_series_are_enough_to_be_cut) {
  EXPECT_EQ(in_blocks({.n = 1000}).num_parts, deterministic_parts);
  EXPECT_EQ(in_blocks({.n = 409600}).num_parts, 101U);
}

TEST(ErrorBound, lets_the_sum_pass_and_no_missing_term_that_matters) {
  const series what{.n = 100'000, .x = 0.999999999};
  const auto expected = static_cast<double>(exact_sum(what));
  const double found = sum_of_terms({.first = 1, .last = what.n + 1}, what.x);

  const double allowed = error_max(expected, what.n, summation::pairwise);

  EXPECT_LE(std::abs(found - expected), allowed);
  EXPECT_GT(std::abs(term(static_cast<double>(what.n), what.x)), 1000 * allowed);
  EXPECT_DOUBLE_EQ(allowed, 4 * 0x1p-53 * std::log2(1e5));
}

TEST(Parts, cover_all_terms_once_and_differ_by_one_at_most) {
  for (const std::uint64_t n : {0U, 1U, 10U, 16U, 100U, 1000U}) {
    for (const std::size_t num_parts : {1U, 3U, 4U, 20U, 64U}) {
      const series what{.n = n, .x = 0.5, .num_parts = num_parts};
      std::uint64_t next = 1;
      for (std::size_t part = 0; part < num_parts; ++part) {
        const term_range range = part_of(what, part);
        EXPECT_EQ(range.first, next);
        EXPECT_LE(range.last - range.first, n / num_parts + 1);
        EXPECT_GE(range.last - range.first, n / num_parts);
        next = range.last;
      }
      EXPECT_EQ(next, n + 1);
    }
  }
}

}  // namespace series_test
}  // namespace weft::lab::approaches
