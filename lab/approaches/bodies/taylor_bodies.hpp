// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The series for every approach that splits it by itself: the approach only defines how pieces are
// run.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "lab/approaches/operations.hpp"
#include "lab/approaches/series.hpp"

namespace weft::lab::approaches::bodies {

/// `sum_of(count, f)` calls f(0), ..., f(count - 1), each as a separate piece of work, and adds the
/// results in this order. Called from outside the runtime.
template <class Approach>
concept sums_pieces = requires(double (*piece)(std::size_t)) {
  { Approach::sum_of(std::size_t{}, piece) } -> std::same_as<double>;
};

template <sums_pieces Approach>
double fused(const series& what) {
  return Approach::sum_of(what.num_parts, [&what](std::size_t part) {
    return sum_of_terms(part_of(what, part), what.x);
  });
}

template <sums_pieces Approach>
double deterministic(const series& what) {
  return fused<Approach>({.n = what.n, .x = what.x, .num_parts = deterministic_parts});
}

/// As the paper's listings 1 and 2: each piece converts its numbers to terms, then adds them.
template <sums_pieces Approach>
double over_vector(const series& what, double* terms) {
  return Approach::sum_of(what.num_parts, [&what, terms](std::size_t part) {
    const term_range range = part_of(what, part);
    for (std::uint64_t e = range.first; e != range.last; ++e) {
      terms[e - 1] = term(terms[e - 1], what.x);
    }
    return std::accumulate(terms + (range.first - 1), terms + (range.last - 1), 0.0);
  });
}

template <sums_pieces Approach>
double from_scratch(const series& what) {
  std::vector<double> terms(what.n);
  std::iota(terms.begin(), terms.end(), 1.0);
  return over_vector<Approach>(what, terms.data());
}

template <sums_pieces Approach>
void offer_series(operations& rows) {
  rows.fused = fused<Approach>;
  rows.deterministic = deterministic<Approach>;
  rows.over_vector = over_vector<Approach>;
  rows.from_scratch = from_scratch<Approach>;
}

}  // namespace weft::lab::approaches::bodies
