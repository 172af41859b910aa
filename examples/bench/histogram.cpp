// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many of n numbers fall into each of 256 bins: threads meet in the same counters.
//
//   ./weft bench examples/bench/histogram.cpp
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <weft/bench.hpp>

namespace {

std::vector<std::uint32_t> make(std::size_t n) {
  std::vector<std::uint32_t> numbers(n);
  std::uint32_t state = 1;
  for (std::uint32_t& number : numbers) {
    number = state = state * 1664525 + 1013904223;
  }
  return numbers;
}

}  // namespace

int main(int argc, char** argv) {
  return weft::bench::run(
      argc,
      argv,
      make,
      [](auto& on, const auto& numbers) {
        std::array<std::size_t, 256> bins{};
        on.for_loop(numbers.size(), [&](std::size_t i) {
          std::atomic_ref(bins[numbers[i] >> 24]).fetch_add(1, std::memory_order_relaxed);
        });
        return bins;
      },
      weft::bench::variant("own bins", [](const auto& numbers) {
        std::array<std::size_t, 256> bins{};
        std::size_t* const all = bins.data();
#pragma omp parallel for reduction(+ : all[ : 256])
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          ++all[numbers[i] >> 24];
        }
        return bins;
      }));
}
