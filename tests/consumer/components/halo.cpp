// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that links weft::halo: a torus of one rank, whose halo is its own other side.
#include <mpi.h>
#include <weft/halo.hpp>

namespace halo = weft::halo;

static bool wraps_around() {
  const halo::cart<1> grid(MPI_COMM_WORLD, {.periodic = {true}});
  const halo::axis four_cells = halo::axis::inner(4).halo(1);
  auto field = halo::make_field<double>(grid, halo::axes<1>{four_cells});
  field(4) = 42;
  halo::exchange<double, halo::layout::right<1>> halos(grid, field.box());
  halos(field);
  return field(0) == 42;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool is_right = wraps_around();
  MPI_Finalize();
  return is_right ? 0 : 1;
}
