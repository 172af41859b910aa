// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worlds that do not divide evenly, and values between cells.
#include "weft/halo/division.hpp"

#include <array>
#include <cstddef>

#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/halo.hpp"

namespace weft::halo::test {
namespace division_test {

/// Value n of a world of points.
double value_at(std::ptrdiff_t i, std::ptrdiff_t j) {
  return 100.0 * static_cast<double>(i) + static_cast<double>(j);
}

TEST(Division, parts_lie_side_by_side_and_differ_by_one_at_most) {
  const cart<2> grid(MPI_COMM_WORLD);
  for (const std::ptrdiff_t cells : {12, 13, 17, 23}) {
    const auto mine = part_of(grid, {cells, cells + 1});

    // Collective, from all ranks' widths.
    const auto found = part_of_world(
        grid, axes<2>{axis::inner(mine.own.cells[0]), axis::inner(mine.own.cells[1])});

    EXPECT_EQ(found.world, mine.world);
    EXPECT_EQ(found.own.first, mine.own.first);
    for (std::size_t d = 0; d < 2; ++d) {
      const std::ptrdiff_t even = mine.world[d] / grid.num_processes(d);
      EXPECT_GE(mine.own.cells[d], even);
      EXPECT_LE(mine.own.cells[d], even + 1);
    }
  }
}

TEST(Division, values_between_cells_are_exchanged_with_the_cells) {
  const cart<2> grid(MPI_COMM_WORLD, {.periodic = {false, true}});
  const auto part = part_of(grid, {11, 9});
  const axes<2> cells{axis::inner(part.own.cells[0]).halo(1),
                      axis::inner(part.own.cells[1]).halo(1)};
  const axes<2> sides = staggered(grid, cells, 0);
  const axes<2> periodic_sides = staggered(grid, cells, 1);
  const auto pressure = make_field<double>(grid, cells);
  const auto velocity = make_field<float>(grid, sides);
  const bool is_last = grid.position(0) + 1 == grid.num_processes(0);
  for (std::ptrdiff_t i = 0; i < sides[0].size(); ++i) {
    for (std::ptrdiff_t j = 0; j < sides[1].size(); ++j) {
      velocity(1 + i, 1 + j) =
          static_cast<float>(value_at(part.own.first[0] + i, part.own.first[1] + j));
    }
  }

  exchange_any<2> any(grid, {.directions = directions::faces});
  any(pressure, velocity);

  EXPECT_EQ(sides[0].size(), cells[0].size() + (is_last ? 1 : 0));
  EXPECT_EQ(periodic_sides, cells);
  for (std::ptrdiff_t i = 0; i < cells[0].size(); ++i) {
    // The upper side of every cell, the last one's in the halo or at the boundary of the world.
    EXPECT_EQ(velocity(1 + i + 1, 1),
              static_cast<float>(value_at(part.own.first[0] + i + 1, part.own.first[1])));
  }
}

}  // namespace division_test
}  // namespace weft::halo::test
