// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that links weft::halo_async: an exchange that a sender waits for, on a torus of one
// rank.
#include <mpi.h>
#include <weft/execution.hpp>
#include <weft/halo.hpp>
#include <weft/halo/async.hpp>

namespace ex = weft::execution;
namespace halo = weft::halo;

static bool wraps_around() {
  const halo::cart<1> grid(MPI_COMM_WORLD, {.periodic = {true}});
  const halo::axis four_cells = halo::axis::inner(4).halo(1);
  auto field = halo::make_field<double>(grid, halo::axes<1>{four_cells});
  field(4) = 42;
  halo::exchange<double, halo::layout::right<1>> halos(grid, field.box());
  ex::sync_wait(halos.start(field));
  return field(0) == 42;
}

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  const bool is_right = wraps_around();
  MPI_Finalize();
  return is_right ? 0 : 1;
}
