// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A periodic grid of two dimensions, and two fields of it whose cells are known.
#pragma once

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "weft/halo.hpp"

#include "halo/world.hpp"

namespace weft::halo::test {

inline cart<2> periodic_grid() { return cart<2>(MPI_COMM_WORLD, {.periodic = {true, true}}); }

inline world<2> world_of(const cart<2>& grid, std::ptrdiff_t cells) {
  world<2> around{.periodic = {grid.is_periodic(0), grid.is_periodic(1)},
                  .cells_per_process = {cells, cells}};
  for (std::size_t d = 0; d < 2; ++d) {
    around.processes[d] = grid.num_processes(d);
    around.position[d] = grid.position(d);
  }
  return around;
}

inline axes<2> box_of(const world<2>& around, std::ptrdiff_t width) {
  return {axis::inner(around.inner(0)).halo(width), axis::inner(around.inner(1)).halo(width)};
}

/// Two fields of doubles of one world.
struct two_fields {
  two_fields(const cart<2>& grid, const axes<2>& box)
      : around(world_of(grid, 6)),
        first_cells(static_cast<std::size_t>(box[0].length * box[1].length)),
        second_cells(first_cells.size()),
        first(around, field(first_cells.data(), box), 1),
        second(around, field(second_cells.data(), box), 2) {}

  void fill(int round) {
    first.fill(round);
    second.fill(round);
  }
  void expect_right() const {
    EXPECT_EQ(first.mismatch(), "");
    EXPECT_EQ(second.mismatch(), "");
  }

  world<2> around;
  std::vector<double> first_cells;
  std::vector<double> second_cells;
  known_field<double, 2> first;
  known_field<double, 2> second;
};

}  // namespace weft::halo::test
