// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dot product: two streams of memory and nothing else.
//
//   ./weft bench examples/bench/dot.cpp
#include <cstddef>
#include <vector>

#include <weft/bench.hpp>

namespace {

struct vectors {
  std::vector<double> a;
  std::vector<double> b;
};

vectors make(std::size_t n) { return {std::vector<double>(n, 0.5), std::vector<double>(n, 2.0)}; }

}  // namespace

int main(int argc, char** argv) {
  return weft::bench::run(
      argc,
      argv,
      make,
      [](auto& on, const auto& in) {
        return on.transform_reduce(in.a.begin(), in.a.end(), in.b.begin(), 0.0);
      },
      weft::bench::settings{.bytes_per_element = 16, .operations_per_element = 2},
      weft::bench::variant("omp simd", [](const auto& in) {
        double sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
        for (std::size_t i = 0; i < in.a.size(); ++i) {
          sum += in.a[i] * in.b[i];
        }
        return sum;
      }));
}
