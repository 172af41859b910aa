// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop made parallel, and a sum over it, as docs/tutorials/parallel_loop.md shows them:
// parallel_loop [PARTICLES]
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <ratio>
#include <vector>

#include <weft/algorithms/policy.hpp>
#include <weft/algorithms/transform_reduce.hpp>
#include <weft/tasks/parallel_for.hpp>
#include <weft/tasks/runtime.hpp>

namespace {

struct particle {
  double x = 0;
  double y = 0;
};

/// The potential that all `particles` cause at one of them.
double potential_at(const std::vector<particle>& particles, std::size_t i) {
  double sum = 0;
  for (std::size_t j = 0; j < particles.size(); ++j) {
    if (j != i) {
      sum += 1 / std::hypot(particles[i].x - particles[j].x, particles[i].y - particles[j].y);
    }
  }
  return sum;
}

std::vector<double> potentials_serial(const std::vector<particle>& particles) {
  std::vector<double> potentials(particles.size());
  for (std::size_t i = 0; i < particles.size(); ++i) {
    potentials[i] = potential_at(particles, i);
  }
  return potentials;
}

std::vector<double> potentials_parallel(const std::vector<particle>& particles) {
  std::vector<double> potentials(particles.size());
  weft::parallel_for(particles.size(),
                     [&](std::size_t i) { potentials[i] = potential_at(particles, i); });
  return potentials;
}

double energy_of(const std::vector<double>& potentials) {
  return weft::transform_reduce(
      weft::par, potentials.begin(), potentials.end(), 0.0, std::plus<>(), [](double potential) {
        return potential / 2;
      });
}

/// Particles on a spiral, so that no two are at one place.
std::vector<particle> spiral(std::size_t n) {
  std::vector<particle> particles(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto t = static_cast<double>(i);
    particles[i] = {.x = t * std::cos(t), .y = t * std::sin(t)};
  }
  return particles;
}

template <class F>
double milliseconds(const F& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

int main(int argc, char** argv) {
  weft::init(argc, argv);  // reads --weft:workers=N
  const std::vector<particle> particles =
      spiral(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2000);
  std::vector<double> serial;
  std::vector<double> parallel;

  const double serial_ms = milliseconds([&] { serial = potentials_serial(particles); });
  const double parallel_ms = milliseconds([&] { parallel = potentials_parallel(particles); });
  const double energy = energy_of(parallel);

  std::printf("serial %.1f ms, on %d workers %.1f ms, energy %.6g\n",
              serial_ms,
              weft::default_runtime().num_workers(),
              parallel_ms,
              energy);
  return parallel == serial && energy > 0 ? 0 : 1;
}
