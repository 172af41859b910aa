// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where to cut two sorted ranges so that their merge can be written in independent pieces.
#pragma once

#include <algorithm>
#include <cstddef>

namespace weft::lab::stl {

/// Returns how many of the first `num_merged` elements of the stable merge come from the left.
///
/// Source: Green, Odeh, Birk, "Merge Path - A Visually Intuitive Approach to Parallel Merging",
///         2014, arXiv:1406.2628.
template <class T>
std::size_t taken_from_left(const T* left,
                            std::size_t left_size,
                            const T* right,
                            std::size_t right_size,
                            std::size_t num_merged) {
  std::size_t low = num_merged > right_size ? num_merged - right_size : 0;
  std::size_t high = std::min(num_merged, left_size);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (right[num_merged - middle - 1] < left[middle]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Two sorted ranges and the destination of their merge.
template <class T>
struct merge_job {
  const T* left;
  std::size_t left_size;
  const T* right;
  std::size_t right_size;
  T* out;

  [[nodiscard]] std::size_t size() const { return left_size + right_size; }

  /// Writes only the output elements [first, last).
  void merge_piece(std::size_t first, std::size_t last) const {
    const std::size_t i = taken_from_left(left, left_size, right, right_size, first);
    const std::size_t i_last = taken_from_left(left, left_size, right, right_size, last);
    std::merge(left + i, left + i_last, right + (first - i), right + (last - i_last), out + first);
  }
};

}  // namespace weft::lab::stl
