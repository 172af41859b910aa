// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worlds whose cells do not divide evenly among the processes, and fields between cells.
#pragma once

#include <array>
#include <cstddef>

#include "weft/halo/axis.hpp"
#include "weft/halo/cart.hpp"
#include "weft/halo/global.hpp"

namespace weft::halo {

/// The part that this rank has of a world of `world[d]` cells along each dimension: as many as the
/// other ranks, or one more.
///
/// Make axes by `axis::inner(part.own.cells[d])`; `part.own.first[d]` is the first cell's number in
/// the world. Asks no other rank.
/// Errors:  none; a dimension with fewer cells than processes leaves ranks without cells, which
///          `axis::inner(0)` refuses.
/// Example: tests/halo/division_test.cpp: parts_lie_side_by_side_and_differ_by_one_at_most.
template <std::size_t num_dims>
[[nodiscard]] world_part<num_dims> part_of(const cart<num_dims>& grid,
                                           const std::array<std::ptrdiff_t, num_dims>& world) {
  world_part<num_dims> made{.own = {}, .world = world};
  for (std::size_t d = 0; d < num_dims; ++d) {
    const std::ptrdiff_t parts = grid.num_processes(d);
    const std::ptrdiff_t at = grid.position(d);
    const std::ptrdiff_t longer = world[d] % parts;  // so many first ones have one cell more
    made.own.first[d] = world[d] / parts * at + (at < longer ? at : longer);
    made.own.cells[d] = world[d] / parts + (at < longer ? 1 : 0);
  }
  return made;
}

/// The axes of a staggered field, whose values lie between the cells of `box` along `dim`: value n
/// on the lower side of cell n. The last rank along `dim` also has the upper boundary of the world,
/// unless that is periodic.
///
/// Each value has one owner; with `halo(1)` or more, ranks find the upper sides of their last cells
/// in the halo above. Exchange staggered fields together with others by `exchange_any`.
/// Example: tests/halo/division_test.cpp: values_between_cells_are_exchanged_with_the_cells.
template <std::size_t num_dims>
[[nodiscard]] axes<num_dims> staggered(const cart<num_dims>& grid,
                                       axes<num_dims> box,
                                       std::size_t dim) {
  if (!grid.is_periodic(dim) && grid.position(dim) + 1 == grid.num_processes(dim)) {
    const axis& cells = box[dim];
    box[dim] = axis(cells.minus, cells.plus, cells.begin, cells.end + 1, cells.length + 1);
  }
  return box;
}

}  // namespace weft::halo
