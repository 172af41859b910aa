// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step of heat conduction on a grid of n rows: each point becomes the mean of its neighbours.
//
//   ./weft bench --param n=2^7..2^11 examples/bench/stencil.cpp
#include <cstddef>
#include <span>
#include <vector>

#include <weft/bench.hpp>

namespace {

struct grid {
  std::size_t n;
  std::vector<double> before;
  std::vector<double> after;
};

grid make(std::size_t n) {
  grid made{n, std::vector<double>(n * n), std::vector<double>(n * n)};
  for (std::size_t i = 0; i < n * n; ++i) {
    made.before[i] = static_cast<double>(i % 7);
  }
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  return weft::bench::run(argc, argv, make, [](auto& on, auto& in) {
    const std::size_t n = in.n;
    on.for_loop(n < 3 ? 0 : n - 2, [&](std::size_t row) {
      const double* const above = &in.before[row * n];
      const double* const here = above + n;
      const double* const below = here + n;
      double* const to = &in.after[(row + 1) * n];
      for (std::size_t i = 1; i + 1 < n; ++i) {
        to[i] = 0.25 * (here[i - 1] + here[i + 1] + above[i] + below[i]);
      }
    });
    return std::span(in.after);
  });
}
