// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// n bodies that attract each other: n loops of n steps, all alike, bound by arithmetic.
//
//   ./weft bench --param n=2^8..2^11 examples/bench/nbody.cpp
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <weft/bench.hpp>

namespace {

struct vec3 {
  double x, y, z;
};
struct bodies {
  std::vector<vec3> places;
  std::vector<double> pulls;  // how strongly each is pulled
};

bodies make(std::size_t n) {
  bodies all{std::vector<vec3>(n), std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    const auto t = static_cast<double>(i);
    all.places[i] = {std::cos(t), std::sin(3 * t), std::cos(5 * t)};
  }
  return all;
}

double pull_on(const vec3& body, const std::vector<vec3>& places) {
  vec3 sum{0, 0, 0};
  for (const vec3& other : places) {
    const vec3 d{other.x - body.x, other.y - body.y, other.z - body.z};
    const double r2 = d.x * d.x + d.y * d.y + d.z * d.z + 1e-3;
    const double w = 1 / (r2 * std::sqrt(r2));
    sum = {sum.x + w * d.x, sum.y + w * d.y, sum.z + w * d.z};
  }
  return std::hypot(sum.x, sum.y, sum.z);
}

}  // namespace

int main(int argc, char** argv) {
  return weft::bench::run(argc, argv, make, [](auto& on, auto& in) {
    on.for_loop(in.places.size(),
                [&](std::size_t i) { in.pulls[i] = pull_on(in.places[i], in.places); });
    return std::span(in.pulls);
  });
}
