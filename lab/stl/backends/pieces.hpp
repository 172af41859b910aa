// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the hand-written backends do inside one piece of a range, on one thread.
#pragma once

#include <algorithm>
#include <cstddef>

#include "lab/stl/kernels.hpp"

namespace weft::lab::stl {

/// Returns the first position in [i, last) whose element is `value`, or `last`.
template <class T>
std::size_t find_in_piece(const T* elements, std::size_t i, std::size_t last, T value) {
  constexpr std::size_t stride = 256;  // one branch for this many comparisons
  for (; i + stride <= last; i += stride) {
    int is_here = 0;
#pragma omp simd reduction(| : is_here)
    for (std::size_t j = 0; j < stride; ++j) {
      is_here |= static_cast<int>(elements[i + j] == value);
    }
    if (is_here != 0) {
      break;
    }
  }
  return static_cast<std::size_t>(std::find(elements + i, elements + last, value) - elements);
}

template <class T>
T sum_of_piece(const T* first, const T* last) {
  T sum{};
#pragma omp simd reduction(+ : sum)
  for (const T* element = first; element < last; ++element) {
    sum += *element;
  }
  return sum;
}

/// Writes the running sums that start from `carry`; returns the last one.
template <class T>
T scan_piece(const T* first, const T* last, T* out, T carry) {
  for (; first != last; ++first, ++out) {
    carry += *first;
    *out = carry;
  }
  return carry;
}

template <class T>
std::size_t count_selected(const T* first, const T* last) {
  std::size_t count = 0;
#pragma omp simd reduction(+ : count)
  for (const T* element = first; element < last; ++element) {
    count += static_cast<std::size_t>(kernels::is_selected{}(*element));
  }
  return count;
}

/// Copies the first `count` selected elements without a branch on the elements.
template <class T>
void copy_selected(const T* element, std::size_t count, T* out) {
  // An element not selected is overwritten by the next: the loop must not outlive the last chosen.
  for (const T* const out_last = out + count; out != out_last; ++element) {
    *out = *element;
    out += static_cast<std::ptrdiff_t>(kernels::is_selected{}(*element));
  }
}

}  // namespace weft::lab::stl
