// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of problem fft, each over a range of its iterations.
#pragma once

#include <cstddef>

#include "lab/inncabs/fft/complex_number.hpp"

namespace weft::lab::inncabs::fft {

/// Iterations [first, last).
struct iterations {
  std::size_t first;
  std::size_t last;
};

/// exp(-2 pi i k / size) for k < size. The iterations are [0, size / 2]; they also fill the other
/// half.
void fill_roots(complex_number* roots, std::size_t size, iterations range);

/// One division of a transform: `radix` times `part` values, whose roots of unity are every
/// `stride`-th of `roots`.
/// Shape: `from` and `to` do not overlap.
struct division {
  std::size_t radix;
  std::size_t part;
  const complex_number* roots;
  std::size_t stride;

  /// Makes each residue class modulo `radix` contiguous: one iteration moves `radix` values.
  void reorder(const complex_number* from, complex_number* to, iterations range) const;

  /// Joins the transforms of the residue classes: one iteration makes `radix` elements.
  void combine(const complex_number* from, complex_number* to, iterations range) const;

 private:
  template <std::size_t fixed_radix>
  void combine_fixed(const complex_number* from, complex_number* to, iterations range) const;
  void combine_any(const complex_number* from, complex_number* to, iterations range) const;
};

/// Transforms 1, 2, 4, 8, 16 or 32 values.
void transform_at_once(const complex_number* from, complex_number* to, std::size_t size);

}  // namespace weft::lab::inncabs::fft
