// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that links weft::halo_async, which joins weft::halo to weft::execution.
#include <mpi.h>
#include <weft/halo/async.hpp>
#include <weft/tasks/fork_join.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto [x, y] = weft::fork_join([] { return 40; }, [] { return 2; });
  MPI_Finalize();
  return x + y == 42 ? 0 : 1;
}
