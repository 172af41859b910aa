// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The area of the Mandelbrot set on n rows: some rows take a hundred times as long as others.
//
//   ./weft bench --param n=2^6..2^9 examples/bench/mandelbrot.cpp
#include <cstddef>
#include <functional>

#include <weft/bench.hpp>

namespace {

/// Points of a row that are in the set after 200 steps.
std::size_t inside(std::size_t row, std::size_t n) {
  const double width = 3.0 / static_cast<double>(n);
  std::size_t count = 0;
  for (std::size_t column = 0; column < n; ++column) {
    const double cx = -2 + static_cast<double>(column) * width;
    const double cy = -1.5 + static_cast<double>(row) * width;
    double x = 0;
    double y = 0;
    int step = 0;
    for (; step < 200 && x * x + y * y < 4; ++step) {
      const double next = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = next;
    }
    count += step == 200 ? 1 : 0;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  return weft::bench::run(
      argc,
      argv,
      [](std::size_t n) { return n; },
      [](auto& on, const auto& n) {
        const auto row = [n](std::size_t i) { return inside(i, n); };
        return on.reduce(n, std::size_t{0}, row, std::plus<>());
      });
}
