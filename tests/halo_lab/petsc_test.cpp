// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PETSc's distributed arrays as an independent oracle: the same random cells, exchanged by both.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>
#include <petscdmda.h>

#include "weft/halo.hpp"

#include "halo/world.hpp"

namespace weft::halo::test {
namespace petsc_test {

constexpr std::ptrdiff_t width = 2;
constexpr std::array<std::ptrdiff_t, 3> cells{5, 4, 6};

class petsc_library : public testing::Environment {
 public:
  void SetUp() override { ASSERT_EQ(PetscInitializeNoArguments(), 0); }
  void TearDown() override { PetscFinalize(); }
};

const testing::Environment* const library = testing::AddGlobalTestEnvironment(new petsc_library);

/// PETSc's first dimension is contiguous: dimensions come in the opposite order.
DM array_of(const cart<3>& grid, DMBoundaryType edge) {
  const auto dims = grid.dims();
  const auto global = [&](std::size_t d) { return static_cast<PetscInt>(cells[d]) * dims[d]; };
  DM made = nullptr;
  EXPECT_EQ(DMDACreate3d(grid.communicator(),
                         edge,
                         edge,
                         edge,
                         DMDA_STENCIL_BOX,
                         global(2),
                         global(1),
                         global(0),
                         dims[2],
                         dims[1],
                         dims[0],
                         1,
                         static_cast<PetscInt>(width),
                         nullptr,
                         nullptr,
                         nullptr,
                         &made),
            0);
  EXPECT_EQ(DMSetUp(made), 0);
  return made;
}

std::vector<double> random_cells(int rank) {
  std::size_t count = 1;
  for (const std::ptrdiff_t each : cells) {
    count *= static_cast<std::size_t>(each + 2 * width);
  }
  std::vector<double> made(count);
  for (std::size_t n = 0; n < count; ++n) {
    made[n] = static_cast<double>(mixed(n + 1'000'000U * static_cast<std::uint64_t>(rank)) >> 12U);
  }
  return made;
}

class petsc_and_weft : public testing::TestWithParam<bool> {};

TEST_P(petsc_and_weft, agree_on_every_cell) {
  const bool is_periodic = GetParam();
  const cart<3> grid(MPI_COMM_WORLD, {.periodic = {is_periodic, is_periodic, is_periodic}});
  std::vector<double> theirs = random_cells(grid.rank());
  std::vector<double> ours = theirs;
  axes<3> box;
  for (std::size_t d = 0; d < 3; ++d) {
    box[d] = axis::inner(cells[d]).halo(width);
  }
  exchange<double, layout::right<3>> halos(grid, box);
  DM array = array_of(grid, is_periodic ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_GHOSTED);
  Vec vector = nullptr;
  ASSERT_EQ(VecCreateSeqWithArray(
                PETSC_COMM_SELF, 1, static_cast<PetscInt>(theirs.size()), theirs.data(), &vector),
            0);

  halos(ours.data());
  ASSERT_EQ(DMLocalToLocalBegin(array, vector, INSERT_VALUES, vector), 0);
  ASSERT_EQ(DMLocalToLocalEnd(array, vector, INSERT_VALUES, vector), 0);

  EXPECT_EQ(ours, theirs);
  EXPECT_NE(ours, random_cells(grid.rank()));
  VecDestroy(&vector);
  DMDestroy(&array);
}

INSTANTIATE_TEST_SUITE_P(boundaries, petsc_and_weft, testing::Bool());

}  // namespace petsc_test
}  // namespace weft::halo::test
