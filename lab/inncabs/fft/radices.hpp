// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How sizes are divided into radices, and the range at which loops are no longer divided.
#pragma once

#include <cstddef>

namespace weft::lab::inncabs::fft {

// The iterations that a task does sequentially. An iteration of an odd radix has radix^2 products
// and is its own task.
constexpr std::size_t roots_alone = 128;
constexpr std::size_t reordered_alone = 16;
constexpr std::size_t butterflies_alone = 128;
constexpr std::size_t odd_butterflies_alone = 1;

/// Sizes that are transformed directly, without division.
constexpr bool is_small(std::size_t size) {
  return size == 1 || size == 2 || size == 4 || size == 8 || size == 16 || size == 32;
}

/// Returns the divisor of a size: the largest of 16, 8, 4 and 2 that divides it, else its smallest
/// odd divisor. 10^6 becomes 16 * 4 * 5^6.
/// Shape: `size` is not small.
constexpr std::size_t radix_of(std::size_t size) {
  for (const std::size_t radix : {16U, 8U, 4U, 2U}) {
    if (size % radix == 0) {
      return radix;
    }
  }
  for (std::size_t radix = 3; radix * radix <= size; radix += 2) {
    if (size % radix == 0) {
      return radix;
    }
  }
  return size;
}

constexpr std::size_t butterflies_alone_of(std::size_t radix) {
  return radix % 2 == 0 ? butterflies_alone : odd_butterflies_alone;
}

}  // namespace weft::lab::inncabs::fft
