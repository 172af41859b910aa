// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel that sorts numbers suits the processor, whatever their size.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/detail/vector_sort.hpp"

namespace kernel_speed_test {

/// The least of several times that sorting random numbers takes.
template <class T>
std::chrono::nanoseconds time_of_sort() {
  constexpr std::size_t n = 16'384;
  constexpr int num_runs = 40;
  std::vector<T> keys(n);
  auto least = std::chrono::nanoseconds::max();
  std::uint64_t state = 1;
  for (int run = 0; run < num_runs; ++run) {
    std::ranges::generate(keys, [&state] {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return static_cast<T>(static_cast<std::int64_t>(state) >> 34);
    });
    const auto begin = std::chrono::steady_clock::now();
    weft::algorithms::detail::vector_sort<std::less<>>(keys.data(), n);
    const std::chrono::nanoseconds taken = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(std::ranges::is_sorted(keys));
    least = std::min(least, taken);
  }
  return least;
}

TEST(KernelSpeed, keys_of_32_bits_are_sorted_as_fast_as_those_of_64) {
  const std::chrono::nanoseconds of_64_bits = time_of_sort<std::int64_t>();

  EXPECT_LT(time_of_sort<std::int32_t>(), 1.5 * of_64_bits);
  EXPECT_LT(time_of_sort<std::uint32_t>(), 1.5 * of_64_bits);
  EXPECT_LT(time_of_sort<float>(), 1.5 * of_64_bits);
}

}  // namespace kernel_speed_test
