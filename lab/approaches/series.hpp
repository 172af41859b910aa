// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Taylor series of ln(1+x): its terms, how they are shared out, what their sum is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace weft::lab::approaches {

/// The first `n` terms at `x`, 0 < x < 1 or x = -1, to be cut into `num_parts` pieces by who cuts
/// by hand.
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

/// Piece `part` of `what.num_parts`: sizes differ by one term at most; more parts than terms leave
/// some empty.
[[nodiscard]] term_range part_of(const series& what, std::size_t part);

/// Pieces of a sum whose grouping depends on n alone; of a short series, some are empty.
inline constexpr std::size_t deterministic_parts = 64;

/// The same series in blocks that depend on n alone, for who cuts blocks, not terms, into pieces:
/// of a short one as many as everyone else's sums of that kind have, so that there is something to
/// cut.
[[nodiscard]] inline series in_blocks(const series& what) {
  constexpr std::uint64_t terms_per_block = 4096;
  const auto blocks = static_cast<std::size_t>(what.n / terms_per_block) + 1;
  return {.n = what.n, .x = what.x, .num_parts = std::max(deterministic_parts, blocks)};
}

/// The sum of these terms, added up in pairs of pairs. Compiled once for all programs.
/// Cost: a `term` for each; no memory.
[[nodiscard]] double sum_of_terms(const term_range& which, double x);

/// The x where every term counts: they are -1/e, all of one sign, and none is lost in the rounding
/// of a sum. The sum is a harmonic number.
inline constexpr double x_of_check = -1.0;

/// The sum of the first `what.n` terms, by another way than `term`: in long double, the terms by
/// multiplication; of a long series that has not converged, ln(1+x) less the rest, from Boole's
/// summation of it, or at x = -1 the harmonic number from its expansion.
/// Cost: at most 2^20 terms.
[[nodiscard]] long double exact_sum(const series& what);

/// How sums are added up, which bounds their error.
enum class summation : std::uint8_t {
  pairwise,  // blocks of a size that does not grow with n
  in_order   // long runs, one term after the other
};

/// The most by which a sum of `n` terms that is about `expected` may be wrong: 4 ulp for each of
/// log2(n) levels; one after the other, for each of sqrt(n), the deviation of n independent
/// roundings being a seventh of that.
[[nodiscard]] double error_max(double expected, std::uint64_t n, summation how);

}  // namespace weft::lab::approaches
