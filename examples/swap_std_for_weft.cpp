// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of the standard's algorithms, and the same with weft's: what is left to change.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

#include <weft/algorithms.hpp>
#include <weft/algorithms/ranges.hpp>

namespace {

struct particle {
  double mass = 1;
  double speed = 0;
};

std::vector<particle> some_particles() {
  std::vector<particle> all(200000);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].speed = static_cast<double>(i * 7919 % all.size());
  }
  return all;
}

double energy_of(const particle& p) { return p.mass * p.speed * p.speed / 2; }

bool is_slower(const particle& a, const particle& b) { return a.speed < b.speed; }

double median_speed_and_energy(std::vector<particle> all, double& energy) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end(), is_slower);
  energy = std::transform_reduce(all.begin(), all.end(), 0.0, std::plus<>(), energy_of);
  return middle->speed;
}

double median_speed_and_energy_in_parallel(std::vector<particle> all, double& energy) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  weft::nth_element(weft::par, all.begin(), middle, all.end(), is_slower);
  energy = weft::transform_reduce(weft::par, all.begin(), all.end(), 0.0, std::plus<>(), energy_of);
  return middle->speed;
}

double median_speed_with_ranges(std::vector<particle> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  weft::ranges::nth_element(weft::par, all, middle, {}, &particle::speed);
  return middle->speed;
}

}  // namespace

int main() {
  const std::vector<particle> all = some_particles();
  double expected_energy = 0;
  double energy = 0;

  const double expected = median_speed_and_energy(all, expected_energy);
  const double median = median_speed_and_energy_in_parallel(all, energy);

  std::printf("median speed %.0f, energy %.6g\n", median, energy);
  const bool is_right = median == expected && median_speed_with_ranges(all) == expected &&
                        std::abs(energy - expected_energy) < 1e-9 * expected_energy;
  return is_right ? 0 : 1;
}
