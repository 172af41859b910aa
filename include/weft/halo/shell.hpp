// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inner cells in two parts: those that can be computed while halos travel, and the rest.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>

#include "weft/halo/axis.hpp"
#include "weft/halo/blocks.hpp"

namespace weft::halo {

namespace detail {

/// The interior along one dimension: inner cells further from both ends than the wider halo.
struct inner_range {
  std::ptrdiff_t first = 0;
  std::ptrdiff_t last = 0;  // exclusive

  constexpr explicit inner_range(const axis& along) {
    const std::ptrdiff_t width = std::min(std::max(along.minus, along.plus), along.size());
    first = along.begin + width;
    last = std::max(first, along.end + 1 - width);
  }
};

}  // namespace detail

/// Calls `kernel(block)` for the inner cells that neither read halo cells nor are sent: those
/// that may be computed, and written, between `start` and `wait`. Not called if there are none.
///
/// Shape:   a stencil reaches as far as the halos of `box` are wide.
/// Example: tests/halo/shell_test.cpp: interior_and_shell_are_all_inner_cells_once.
template <std::size_t num_dims, std::invocable<const block<num_dims>&> Kernel>
constexpr void for_interior(const axes<num_dims>& box, Kernel&& kernel) {
  block<num_dims> cells;
  bool is_empty = false;
  for (std::size_t d = 0; d < num_dims; ++d) {
    const detail::inner_range inside(box[d]);
    cells.first[d] = inside.first;
    cells.cells[d] = inside.last - inside.first;
    is_empty = is_empty || cells.cells[d] == 0;
  }
  if (!is_empty) {
    kernel(cells);
  }
}

/// Calls `kernel(block)` for all other inner cells, in at most two blocks per dimension that do not
/// overlap: what is left to do after `wait`.
///
/// Example: tests/halo/shell_test.cpp: interior_and_shell_are_all_inner_cells_once.
template <std::size_t num_dims, std::invocable<const block<num_dims>&> Kernel>
constexpr void for_shell(const axes<num_dims>& box, Kernel&& kernel) {
  block<num_dims> rest = inner_block(box);  // without the slabs that `kernel` has had
  for (std::size_t d = 0; d < num_dims; ++d) {
    const detail::inner_range inside(box[d]);
    const auto slab = [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      block<num_dims> cells = rest;
      cells.first[d] = first;
      cells.cells[d] = last - first;
      if (std::ranges::find(cells.cells, 0) == cells.cells.end()) {
        kernel(cells);
      }
    };
    slab(box[d].begin, inside.first);
    slab(inside.last, box[d].end + 1);
    rest.first[d] = inside.first;
    rest.cells[d] = inside.last - inside.first;
  }
}

}  // namespace weft::halo
