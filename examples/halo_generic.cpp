// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Smoke in a wind that blows along the first dimension of a torus, around islands: fields of other
// types, layouts and halos in one exchange: mpirun -n 4 halo_generic
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include <mpi.h>
#include <weft/halo.hpp>

namespace {

namespace halo = weft::halo;
using amounts = halo::field_view<double, 2>;
using ground = halo::field_view<unsigned char, 2>;  // 1: land, where no smoke goes

constexpr std::ptrdiff_t cells = 40;  // per process and dimension
constexpr int steps = 100;
constexpr double step_of_wind = 0.5;  // cells per step

double smaller_slope(double below, double above) {
  if (below * above <= 0) {
    return 0;
  }
  return std::abs(below) < std::abs(above) ? below : above;
}

/// What crosses the face between a cell and the one behind it; `land` has other indices.
double flux(const amounts& smoke, const ground& land, std::ptrdiff_t i, std::ptrdiff_t j) {
  if (land(i - 1, j + 1) != 0 || land(i, j + 1) != 0) {
    return 0;
  }
  const double slope = smaller_slope(smoke(i, j) - smoke(i - 1, j), smoke(i + 1, j) - smoke(i, j));
  return step_of_wind * (smoke(i, j) + 0.5 * (1 - step_of_wind) * slope);
}

std::vector<double> cells_of(const halo::axes<2>& box) {
  return std::vector<double>(static_cast<std::size_t>(box[0].length * box[1].length));
}

double total(const halo::cart<2>& grid, const amounts& smoke) {
  double sum = 0;
  for (std::ptrdiff_t i = 2; i < cells + 2; ++i) {
    for (std::ptrdiff_t j = 0; j < cells; ++j) {
      sum += smoke(i, j);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, grid.communicator());
  return sum;
}

/// Smoke is only moved, so that its amount stays what it was.
bool stays_as_much(const halo::cart<2>& grid) {
  const halo::axes<2> wide{halo::axis::inner(cells).halo(2, 1), halo::axis::inner(cells)};
  const halo::axes<2> thin{halo::axis::inner(cells).halo(1), halo::axis::inner(cells).halo(1)};
  std::vector<double> now_cells = cells_of(wide);
  std::vector<double> next_cells = cells_of(wide);
  std::vector<unsigned char> land_cells(static_cast<std::size_t>(thin[0].length * thin[1].length));
  amounts now = halo::field(now_cells.data(), wide);
  amounts next = halo::field(next_cells.data(), wide);
  const ground land = halo::field(land_cells.data(), thin, halo::layout::left<2>{});
  for (std::ptrdiff_t i = 0; i < cells; ++i) {
    for (std::ptrdiff_t j = 0; j < cells; ++j) {
      const bool is_island = (i + 3) % cells < 8 && j % 16 < 5;  // across two processes
      land(i + 1, j + 1) = is_island ? 1 : 0;
      now(i + 2, j) = is_island ? 0 : 1 + std::sin(static_cast<double>(i + grid.rank()));
    }
  }
  const double before = total(grid, now);

  halo::exchange_any<2> halos(grid, {.directions = halo::directions::faces});
  halos(now, land);
  auto of_now = halos.bind(now);  // the land stays where it is
  auto of_next = halos.bind(next);
  for (int step = 0; step < steps; ++step) {
    for (std::ptrdiff_t i = 2; i < cells + 2; ++i) {
      for (std::ptrdiff_t j = 0; j < cells; ++j) {
        next(i, j) = now(i, j) + flux(now, land, i - 1, j) - flux(now, land, i, j);
      }
    }
    std::swap(now, next);
    std::swap(of_now, of_next);
    of_now();
  }

  const double change = total(grid, now) / before - 1;
  if (grid.rank() == 0) {
    std::printf("after %d steps %.1f of smoke, changed by %.1e of it\n", steps, before, change);
  }
  return std::abs(change) < 1e-12;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool is_right = stays_as_much(halo::cart<2>(MPI_COMM_WORLD, {.periodic = {true, true}}));
  MPI_Finalize();
  return is_right ? 0 : 1;
}
