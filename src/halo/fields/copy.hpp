// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of boxes: loops over equal blocks, two boxes at a time where they share cache lines.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "weft/halo/detail/shape.hpp"

namespace weft::halo::detail {

using box_counts = std::array<std::ptrdiff_t, max_dims>;   // cells
using box_strides = std::array<std::ptrdiff_t, max_dims>;  // bytes

/// One of the two sides of a copy.
struct box_side {
  std::ptrdiff_t offset = 0;  // bytes, of the first cell
  box_strides strides{};
};

/// A box of cells to copy: `counts[0]` x ... x `counts[3]` blocks, the last index fastest.
struct box_copy {
  box_counts counts{1, 1, 1, 1};
  box_side into = {};
  box_side from = {};
  std::ptrdiff_t block_bytes = 0;

  [[nodiscard]] std::ptrdiff_t bytes() const noexcept {
    return counts[0] * counts[1] * counts[2] * counts[3] * block_bytes;
  }
  [[nodiscard]] bool is_contiguous() const noexcept {
    return counts[0] * counts[1] * counts[2] * counts[3] == 1;
  }
};

/// Merges cells that are contiguous on both sides into the largest possible blocks.
[[nodiscard]] box_copy make_copy(std::size_t element_bytes,
                                 const box_counts& cells,
                                 const box_side& into,
                                 const box_side& from);

/// One box, or two opposite ones that are copied in one sweep.
struct sweep {
  box_copy first;
  box_copy second = {};
  bool is_pair = false;
};

/// Pairs neighbouring narrow boxes of equal numbers of rows.
[[nodiscard]] std::vector<sweep> paired(const std::vector<box_copy>& boxes);

void run(const sweep& what, std::byte* into, const std::byte* from);

/// As a copy, but combines the cells. `block_bytes` is a multiple of the element's size.
void run(const box_copy& what,
         std::byte* into,
         const std::byte* from,
         const combining& how,
         std::size_t element_bytes);

}  // namespace weft::halo::detail
