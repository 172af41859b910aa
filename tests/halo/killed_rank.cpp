// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last rank is killed, or throws, among exchanges: the others must not wait for ever. MPI ends
// them, or an exchange throws. An argument says what happens: killed_rank memory|messages, by which
// cells travel to the rank that is killed, or killed_rank throws.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <mpi.h>
#include <signal.h>  // SIGKILL is POSIX's

#include "weft/halo.hpp"

namespace {

namespace halo = weft::halo;
constexpr int last_exchange = 20;

/// What the test looks for, so that a failure to start is none of these.
void tell(const char* what) {
  std::fprintf(stderr, "%s after %d exchanges\n", what, last_exchange);
  std::fflush(stderr);
}

void exchange_for_ever(halo::transport by) {
  const halo::cart<1> grid(MPI_COMM_WORLD, {.periodic = {true}});
  const halo::axes<1> box{halo::axis::inner(1000).halo(3)};
  const auto shared = halo::make_field<double>(grid, box);
  halo::exchange<double, halo::layout::right<1>> halos(grid, box, {.transport = by});
  for (int round = 0;; ++round) {
    auto under_way = halos.start(shared);
    if (round == last_exchange && grid.rank() == grid.size() - 1) {
      tell("killed");
      raise(SIGKILL);
    }
    under_way.wait();
    if (round > last_exchange) {
      std::puts("an exchange with a rank that is dead was over");
      return;
    }
  }
}

/// All that shares memory is alive when the last rank throws.
void exchange_and_throw() {
  const halo::cart<1> grid(MPI_COMM_WORLD, {.periodic = {true}});
  const halo::axes<1> box{halo::axis::inner(1000).halo(3)};
  const auto shared = halo::make_field<double>(grid, box);
  std::vector<double> copy(shared.size());
  halo::exchange<double, halo::layout::right<1>> halos(grid, box);
  halo::blocks<1> moved(grid);
  moved.send(shared.view(), halo::inner_block(box), *grid.neighbour<1>());
  moved.receive(halo::field(copy.data(), box), halo::inner_block(box), *grid.neighbour<-1>());
  const halo::subdomains<1> among(MPI_COMM_WORLD, {.dims = {grid.size()}, .periodic = {true}});
  const std::vector<halo::axes<1>> boxes(1, box);
  const auto parts = halo::make_field<double>(among, boxes);
  halo::subdomain_exchange<double, halo::layout::right<1>> of_parts(among, boxes);
  for (int round = 0; round <= last_exchange + 1; ++round) {
    if (round == last_exchange && grid.rank() == grid.size() - 1) {
      throw std::runtime_error("the program's own");
    }
    halos(shared);
    moved.exchange();
    of_parts(parts);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string_view what = argc > 1 ? argv[1] : "";
  try {
    if (what == "throws") {
      exchange_and_throw();
    } else {
      exchange_for_ever(what == "messages" ? halo::transport::messages
                                           : halo::transport::automatic);
    }
  } catch (const std::exception&) {
    if (what == "throws") {
      tell("threw");
    }
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  MPI_Finalize();
  return 0;  // which the test takes for a failure
}
