// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heat in a ring, which the ranks of an MPI job divide: each rank reads its neighbours' outer cells
// while it computes the inner ones. Start it with mpirun, or alone as a job of one rank.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>
#include <utility>

#include <weft/algorithms.hpp>
#include <weft/distributed.hpp>
#include <weft/distributed/algorithms.hpp>
#include <weft/tasks/future.hpp>

namespace wd = weft::distributed;

namespace {

constexpr std::size_t num_cells = 10'000;
constexpr int num_steps = 100;

double new_value(double left, double here, double right) {
  return here + 0.25 * (left - 2 * here + right);
}

void step(const wd::vector<double>& from, wd::vector<double>& to) {
  const std::span<const double> u = from.local();
  const std::span<double> next = to.local();
  if (!u.empty()) {
    const std::size_t first = from.global_index(0);
    const std::size_t last = from.global_index(u.size() - 1);
    weft::future<double> left = from.get((first + num_cells - 1) % num_cells);
    weft::future<double> right = from.get((last + 1) % num_cells);
    const std::size_t end = std::max(u.size(), std::size_t{2}) - 1;
    weft::for_loop(weft::par, std::size_t{1}, end, [&](std::size_t i) {
      next[i] = new_value(u[i - 1], u[i], u[i + 1]);
    });
    const double before = left.get();
    const double after = right.get();
    for (const std::size_t i : {std::size_t{0}, u.size() - 1}) {
      next[i] = new_value(i == 0 ? before : u[i - 1], u[i], i + 1 == u.size() ? after : u[i + 1]);
    }
  }
  wd::barrier().get();  // from here on, the neighbours may write `from`
}

}  // namespace

int main(int argc, char** argv) {
  const wd::runtime job(argc, argv);
  wd::vector<double> u(num_cells);
  wd::vector<double> next(num_cells);
  const double wave = 2 * 3.14159265358979 / num_cells;
  wd::generate(
      weft::par, u, [&](std::size_t i) { return std::sin(wave * static_cast<double>(i)); });
  for (int i = 0; i < num_steps; ++i) {
    step(u, next);
    std::swap(u, next);
  }
  // A sine keeps its shape, and each step multiplies it by the same factor.
  const double expected = std::pow(1 - 0.5 * (1 - std::cos(wave)), num_steps);
  const auto largest = wd::max_element(weft::par, u);
  if (!largest) {
    return 1;
  }
  if (wd::here().rank() == 0) {
    std::printf("%.9f at cell %zu, expected %.9f\n", largest->value, largest->index, expected);
  }
  return std::abs(largest->value - expected) < 1e-9 ? 0 : 1;
}
