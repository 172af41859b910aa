// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairwise sums of terms, and the exact sum that they are checked against.
#include "lab/approaches/series.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

namespace weft::lab::approaches {
namespace {

// Short enough for the error of a tree, long enough for the tree to cost nothing.
constexpr std::uint64_t terms_per_leaf = 128;

// From here on, three terms of its expansion are enough for the rest of the series.
constexpr std::uint64_t terms_added_up = std::uint64_t{1} << 20U;

/// Returns the sum of the first `n` terms in long double, with the rounding errors added back.
long double added_up(std::uint64_t n, long double x) {
  long double sum = 0;
  long double lost = 0;
  long double power = 1;
  for (std::uint64_t e = 1; e <= n; ++e) {
    power *= x;
    if (std::abs(power) < std::numeric_limits<double>::denorm_min()) {
      break;  // later terms are zero in double
    }
    const long double magnitude = power / static_cast<long double>(e);
    const long double next = (e % 2 == 1 ? magnitude : -magnitude) - lost;
    const long double total = sum + next;
    lost = (total - sum) - next;
    sum = total;
  }
  return sum;
}

/// 1 + 1/2 + ... + 1/n of a large n. Source: its expansion by the Euler-Maclaurin formula.
long double harmonic_number(std::uint64_t n) {
  const auto count = static_cast<long double>(n);
  const long double square = count * count;
  return std::log(count) + std::numbers::egamma_v<long double> + 1 / (2 * count) -
         1 / (12 * square);
}

/// Returns the sum of the terms after the first `n`: (-1)^n times f(n+1) - f(n+2) + ..., f(e) = x^e
/// / e.
/// Source: Boole's summation formula: f/2 - f'/4 + f'''/48 at n+1.
long double rest_after(std::uint64_t n, long double x) {
  const auto e = static_cast<long double>(n + 1);
  const long double f = std::exp(e * std::log(x)) / e;
  const long double slope = std::log(x) - 1 / e;  // f' / f
  const long double sum = f * (0.5L - slope / 4 + slope * slope * slope / 48);
  return n % 2 == 0 ? sum : -sum;
}

double pairwise_sum(std::uint64_t first, std::uint64_t last, double x) {
  if (last - first > terms_per_leaf) {
    const std::uint64_t middle = first + (last - first) / 2;
    return pairwise_sum(first, middle, x) + pairwise_sum(middle, last, x);
  }
  double sum = 0;
  for (; first != last; ++first) {
    sum += term(static_cast<double>(first), x);
  }
  return sum;
}

}  // namespace

term_range part_of(const series& what, std::size_t part) {
  const std::uint64_t size = what.n / what.num_parts;
  const std::uint64_t num_longer = what.n % what.num_parts;
  const std::uint64_t first = 1 + part * size + std::min<std::uint64_t>(part, num_longer);
  return {.first = first, .last = first + size + (part < num_longer ? 1 : 0)};
}

double sum_of_terms(const term_range& which, double x) {
  return pairwise_sum(which.first, which.last, x);
}

long double exact_sum(const series& what) {
  const long double x = what.x;
  if (what.n <= terms_added_up) {
    return added_up(what.n, x);
  }
  if (what.x == x_of_check) {
    return -harmonic_number(what.n);
  }
  return std::log1p(x) - rest_after(what.n, x);
}

double error_max(double expected, std::uint64_t n, summation how) {
  const double ulp = std::nextafter(std::abs(expected), std::numeric_limits<double>::infinity()) -
                     std::abs(expected);
  const double count = std::max(2.0, static_cast<double>(n));
  return 4 * ulp * (how == summation::pairwise ? std::log2(count) : std::sqrt(count));
}

}  // namespace weft::lab::approaches
