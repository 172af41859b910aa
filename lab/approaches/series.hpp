// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Taylor series of ln(1+x): its terms, their distribution to pieces, and their sum.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace weft::lab::approaches {

/// The first `n` terms at `x`, 0 < x < 1 or x = -1, in `num_parts` pieces for approaches that split
/// work themselves.
struct series {
  std::uint64_t n = 0;
  double x = 0.5;
  std::size_t num_parts = 1;
};

/// Term e of ln(1+x) as the paper writes it: two calls of `pow` and a division.
/// Source: Diehl, Brandt, Kaiser, "Shared memory parallelism in Modern C++ and HPX", listing 1.
[[nodiscard]] inline double term(double e, double x) {
  return std::pow(-1.0, e + 1) * std::pow(x, e) / e;
}

/// Terms [first, last), counted from 1.
struct term_range {
  std::uint64_t first;
  std::uint64_t last;
};

/// Returns piece `part` of `what.num_parts`. Sizes differ by at most one term; with more parts than
/// terms, some parts are empty.
[[nodiscard]] term_range part_of(const series& what, std::size_t part);

/// Pieces of a sum whose grouping depends only on n; in a short series, some are empty.
inline constexpr std::size_t deterministic_parts = 64;

/// Returns the same series in blocks that depend only on n, for approaches that split blocks, not
/// terms. A short series has `deterministic_parts` blocks, as in the other approaches, so that
/// there is something to split.
[[nodiscard]] inline series in_blocks(const series& what) {
  constexpr std::uint64_t terms_per_block = 4096;
  const auto blocks = static_cast<std::size_t>(what.n / terms_per_block) + 1;
  return {.n = what.n, .x = what.x, .num_parts = std::max(deterministic_parts, blocks)};
}

/// Returns the sum of these terms, added pairwise. Compiled once for all programs.
/// Cost: a `term` for each; no memory.
[[nodiscard]] double sum_of_terms(const term_range& which, double x);

/// The x at which every term counts: terms are -1/e, all of one sign, and rounding loses none of
/// them. The sum is a harmonic number.
inline constexpr double x_of_check = -1.0;

/// Returns the sum of the first `what.n` terms, computed independently of `term`: in long double,
/// with terms by multiplication. For a long series that has not converged: ln(1+x) minus the rest,
/// by Boole's summation; or at x = -1 the harmonic number by its expansion.
/// Cost: at most 2^20 terms.
[[nodiscard]] long double exact_sum(const series& what);

/// The order of additions, which bounds the error of a sum.
enum class summation : std::uint8_t {
  pairwise,  // blocks of a size that does not grow with n
  in_order   // long runs, one term after the other
};

/// Returns the largest allowed error of a sum of `n` terms that is about `expected`. Pairwise: 4
/// ulp for each of log2(n) levels. In order: 4 ulp for each of sqrt(n) terms; the deviation of n
/// independent roundings is a seventh of that.
[[nodiscard]] double error_max(double expected, std::uint64_t n, summation how);

}  // namespace weft::lab::approaches
