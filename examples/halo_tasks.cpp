// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heat on a torus whose steps are coroutines: they await halos, which travel the way that is
// fastest here, and compute on all workers: mpirun -n 2 halo_tasks
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include <mpi.h>
#include <weft/halo.hpp>
#include <weft/halo/async.hpp>
#include <weft/tasks/lazy_task.hpp>
#include <weft/tasks/parallel_for.hpp>
#include <weft/tasks/runtime.hpp>

namespace {

namespace halo = weft::halo;
using plane = halo::layout::right<2>;
using field = halo::shared_field<double, plane>;

constexpr std::ptrdiff_t cells = 96;  // per process and dimension
constexpr int steps = 50;
constexpr double rate = 0.2;

/// Rows `first` to before `last`, on all workers.
void relax(const field& now, const field& next, std::ptrdiff_t first, std::ptrdiff_t last) {
  weft::parallel_for(static_cast<std::size_t>(last - first), [&](std::size_t row) {
    const std::ptrdiff_t i = first + static_cast<std::ptrdiff_t>(row);
    for (std::ptrdiff_t j = 1; j <= cells; ++j) {
      next(i, j) = now(i, j) + rate * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) +
                                       now(i, j + 1) - 4 * now(i, j));
    }
  });
}

weft::lazy_task<void> heat(halo::exchange<double, plane>& halos, field& now, field& next) {
  for (int step = 0; step < steps; ++step) {
    co_await halos.start(now);
    relax(now, next, 1, cells + 1);
    std::swap(now, next);
  }
}

/// A wave along the first dimension decays by the same factor at each step.
bool decays_as_it_must(const halo::cart<2>& grid) {
  const halo::axis along = halo::axis::inner(cells).halo(1);
  field now = halo::make_field<double>(grid, halo::axes<2>{along, along});
  field next = halo::make_field<double>(grid, halo::axes<2>{along, along});
  halo::exchange<double, plane> halos(
      grid, now.box(), {.executor = halo::on_workers(weft::default_runtime())});
  const halo::tuning fastest = halos.tune(now);

  const double wave = 2 * std::acos(-1.0) / static_cast<double>(cells * grid.num_processes(0));
  const auto phase = [&](std::ptrdiff_t i) {
    return wave * static_cast<double>(grid.position(0) * cells + i - 1);
  };
  for (std::ptrdiff_t i = 1; i <= cells; ++i) {
    for (std::ptrdiff_t j = 1; j <= cells; ++j) {
      now(i, j) = std::cos(phase(i));
    }
  }
  weft::blocking_wait(heat(halos, now, next));

  const double factor = std::pow(1 - 2 * rate * (1 - std::cos(wave)), steps);
  double error = 0;
  for (std::ptrdiff_t i = 1; i <= cells; ++i) {
    for (std::ptrdiff_t j = 1; j <= cells; ++j) {
      error = std::max(error, std::abs(now(i, j) - factor * std::cos(phase(i))));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, grid.communicator());
  if (grid.rank() == 0) {
    std::printf("packing %s, schedule %s; after %d steps the wave is wrong by %.1e\n",
                std::string(to_string(fastest.best.packing)).c_str(),
                std::string(to_string(fastest.best.schedule)).c_str(),
                steps,
                error);
  }
  return error < 1e-12;
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  const bool is_right =
      decays_as_it_must(halo::cart<2>(MPI_COMM_WORLD, {.periodic = {true, true}}));
  MPI_Finalize();
  return is_right ? 0 : 1;
}
