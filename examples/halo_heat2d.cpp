// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heat on a torus, explicit Euler steps, on any number of processes: mpirun -n 4 halo_heat2d
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>

#include <mpi.h>
#include <weft/halo.hpp>

namespace {

constexpr std::ptrdiff_t cells = 48;  // per process and dimension
constexpr int steps = 200;
constexpr double rate = 0.2;  // below 1/4, or steps are too long

/// A wave along the first dimension decays by the same factor at each step.
bool decays_as_it_must(const weft::halo::cart<2>& grid) {
  namespace halo = weft::halo;
  const halo::axis along = halo::axis::inner(cells).halo(1);
  auto now = halo::make_field<double>(grid, halo::axes<2>{along, along});
  auto next = halo::make_field<double>(grid, halo::axes<2>{along, along});
  halo::exchange<double, halo::layout::right<2>> halos(grid, now.box());
  const double wave = 2 * std::acos(-1.0) / static_cast<double>(cells * grid.num_processes(0));
  const auto phase = [&](std::ptrdiff_t i) {
    return wave * static_cast<double>(grid.position(0) * cells + i - 1);
  };
  for (std::ptrdiff_t i = 1; i <= cells; ++i) {
    for (std::ptrdiff_t j = 1; j <= cells; ++j) {
      now(i, j) = std::cos(phase(i));
    }
  }
  for (int step = 0; step < steps; ++step) {
    halos(now);
    for (std::ptrdiff_t i = 1; i <= cells; ++i) {
      for (std::ptrdiff_t j = 1; j <= cells; ++j) {
        next(i, j) = now(i, j) + rate * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) +
                                         now(i, j + 1) - 4 * now(i, j));
      }
    }
    std::swap(now, next);
  }
  const double factor = std::pow(1 - 2 * rate * (1 - std::cos(wave)), steps);
  double error = 0;
  for (std::ptrdiff_t i = 1; i <= cells; ++i) {
    for (std::ptrdiff_t j = 1; j <= cells; ++j) {
      error = std::max(error, std::abs(now(i, j) - factor * std::cos(phase(i))));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, grid.communicator());
  if (grid.rank() == 0) {
    std::printf("after %d steps the wave has %.4f of its height, and is wrong by %.1e\n",
                steps,
                factor,
                error);
  }
  return error < 1e-12;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool is_right =
      decays_as_it_must(weft::halo::cart<2>(MPI_COMM_WORLD, {.periodic = {true, true}}));
  MPI_Finalize();
  return is_right ? 0 : 1;
}
