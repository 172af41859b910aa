// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jacobi's iteration for Laplace's equation in a box, the inside computed while halos travel:
// mpirun -n 4 halo_jacobi3d
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>

#include <mpi.h>
#include <weft/halo.hpp>

namespace {

namespace halo = weft::halo;
using field = halo::shared_field<double, halo::layout::right<3>>;

constexpr std::ptrdiff_t cells = 16;  // per process and dimension

struct range {
  std::ptrdiff_t first;
  std::ptrdiff_t last;  // inclusive
};

void relax(const field& from, const field& into, range is, range js, range ks) {
  for (std::ptrdiff_t i = is.first; i <= is.last; ++i) {
    for (std::ptrdiff_t j = js.first; j <= js.last; ++j) {
      for (std::ptrdiff_t k = ks.first; k <= ks.last; ++k) {
        into(i, j, k) = (from(i - 1, j, k) + from(i + 1, j, k) + from(i, j - 1, k) +
                         from(i, j + 1, k) + from(i, j, k - 1) + from(i, j, k + 1)) /
                        6;
      }
    }
  }
}

/// All cells that need a halo.
void relax_shell(const field& from, const field& into) {
  constexpr range all{1, cells};
  constexpr range inside{2, cells - 1};
  for (const std::ptrdiff_t side : {std::ptrdiff_t{1}, cells}) {
    relax(from, into, {side, side}, all, all);
    relax(from, into, inside, {side, side}, all);
    relax(from, into, inside, inside, {side, side});
  }
}

/// 1 on the face where the first index ends, falling linearly to 0: that is the solution, and what
/// the halos beyond the boundary hold.
double solution(const halo::cart<3>& grid, std::ptrdiff_t i) {
  return static_cast<double>(grid.position(0) * cells + i) /
         static_cast<double>(cells * grid.num_processes(0) + 1);
}

bool converges(const halo::cart<3>& grid) {
  const halo::axis along = halo::axis::inner(cells).halo(1);
  field now = halo::make_field<double>(grid, halo::axes<3>{along, along, along});
  field next = halo::make_field<double>(grid, halo::axes<3>{along, along, along});
  for (std::ptrdiff_t i = 0; i < cells + 2; ++i) {
    for (std::ptrdiff_t j = 0; j < cells + 2; ++j) {
      for (std::ptrdiff_t k = 0; k < cells + 2; ++k) {
        const bool is_inner = i * j * k != 0 && i <= cells && j <= cells && k <= cells;
        now(i, j, k) = next(i, j, k) = is_inner ? 0 : solution(grid, i);
      }
    }
  }
  halo::exchange<double, halo::layout::right<3>> halos(
      grid, now.box(), {.directions = halo::directions::faces});
  double change = 1;
  int steps = 0;
  for (; change > 1e-7 && steps < 20'000; ++steps) {
    auto under_way = halos.start(now);
    relax(now, next, {2, cells - 1}, {2, cells - 1}, {2, cells - 1});
    under_way.wait();
    relax_shell(now, next);
    if (steps % 50 == 49) {
      change = 0;
      for (std::ptrdiff_t i = 1; i <= cells; ++i) {
        change = std::max(change, std::abs(next(i, i, i) - now(i, i, i)));
      }
      MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, grid.communicator());
    }
    std::swap(now, next);
  }
  double error = 0;
  for (std::ptrdiff_t i = 1; i <= cells; ++i) {
    error = std::max(error, std::abs(now(i, cells / 2, cells / 2) - solution(grid, i)));
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, grid.communicator());
  if (grid.rank() == 0) {
    std::printf("%d steps, wrong by %.1e\n", steps, error);
  }
  return error < 1e-3;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool is_right = converges(halo::cart<3>(MPI_COMM_WORLD));
  MPI_Finalize();
  return is_right ? 0 : 1;
}
