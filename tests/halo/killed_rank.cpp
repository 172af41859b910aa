// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last rank is killed in the middle of an exchange: the others must not wait for ever. MPI ends
// them, or an exchange throws; an argument says by what cells travel: killed_rank memory|messages
#include <cstdio>
#include <string_view>

#include <mpi.h>
#include <signal.h>  // SIGKILL is POSIX's

#include "weft/halo.hpp"

namespace {

constexpr int last_exchange = 20;

void exchange_for_ever(weft::halo::transport by) {
  namespace halo = weft::halo;
  const halo::cart<1> grid(MPI_COMM_WORLD, {.periodic = {true}});
  const halo::axes<1> box{halo::axis::inner(1000).halo(3)};
  const auto shared = halo::make_field<double>(grid, box);
  halo::exchange<double, halo::layout::right<1>> halos(grid, box, {.transport = by});
  for (int round = 0;; ++round) {
    auto under_way = halos.start(shared);
    if (round == last_exchange && grid.rank() == grid.size() - 1) {
      raise(SIGKILL);
    }
    under_way.wait();
    if (round > last_exchange) {
      std::puts("an exchange with a rank that is dead was over");
      return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string_view by = argc > 1 ? argv[1] : "";
  exchange_for_ever(by == "messages" ? weft::halo::transport::messages
                                     : weft::halo::transport::automatic);
  MPI_Finalize();
  return 0;  // which the test takes for a failure
}
