// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sequential loops of the hand-written backends inside one piece of a range.
#pragma once

#include <cstddef>

namespace weft::lab::stl {

/// Returns the first position in [i, last) that satisfies the test, or `last`.
template <class Satisfies>
std::size_t first_in_piece(std::size_t i, std::size_t last, const Satisfies& satisfies) {
  constexpr std::size_t stride = 256;  // one branch for this many comparisons
  for (; i + stride <= last; i += stride) {
    int is_here = 0;
#pragma omp simd reduction(| : is_here)
    for (std::size_t j = 0; j < stride; ++j) {
      is_here |= static_cast<int>(satisfies(i + j));
    }
    if (is_here != 0) {
      break;
    }
  }
  while (i < last && !satisfies(i)) {
    ++i;
  }
  return i;
}

/// Returns the sum of `term(i)` for the positions of the piece.
template <class Sum, class Term>
Sum sum_of_piece(std::size_t begin, std::size_t end, const Term& term) {
  Sum sum{};
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = begin; i < end; ++i) {
    sum += term(i);
  }
  return sum;
}

template <class Write>
void write_piece(std::size_t begin, std::size_t end, const Write& write) {
#pragma omp simd
  for (std::size_t i = begin; i < end; ++i) {
    write(i);
  }
}

/// Copies the first `count` chosen elements, without a branch on the elements.
template <class T, class IsChosen>
void copy_chosen(
    const T* first, std::size_t i, std::size_t count, T* out, const IsChosen& is_chosen) {
  // The next element overwrites one that is not chosen, so the loop must end at the last chosen
  // element.
  for (const T* const out_last = out + count; out != out_last; ++i) {
    *out = first[i];
    out += static_cast<std::ptrdiff_t>(is_chosen(i));
  }
}

}  // namespace weft::lab::stl
