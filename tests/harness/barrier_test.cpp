// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proves by the clock that kept work is done at -O3, and that the same loop without a barrier is
// not.
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "harness/barrier_kernels.hpp"
#include "lab/harness/clock.hpp"

namespace weft::lab {
namespace barrier_test {

/// Least time of each of several works that take turns: a machine that is busy, or slower, for a
/// while lengthens some attempts of all of them.
template <class... Works>
std::array<double, sizeof...(Works)> least_s(const Works&... works) {
  constexpr int num_attempts = 25;
  monotonic_clock clock;
  std::array<double, sizeof...(Works)> least;
  least.fill(std::numeric_limits<double>::max());
  const auto measure = [&](const auto& work, double& least_of_work) {
    const auto begin_ns = clock.now_ns();
    work();
    least_of_work = std::min(least_of_work, seconds(clock.now_ns() - begin_ns));
  };
  for (int attempt = 0; attempt < num_attempts; ++attempt) {
    std::size_t index = 0;
    (measure(works, least[index++]), ...);
  }
  return least;
}

// 64 Ki elements cannot be searched in less than 0.5 us even at 1 TB/s.
constexpr std::size_t num_elements = std::size_t{1} << 16;
constexpr double impossible_find_s = 0.5e-6;

TEST(Barrier, a_kept_find_searches_in_every_call) {
  const std::vector<double> values(num_elements, 0.0);
  constexpr std::size_t num_calls = 100;

  const auto [kept_s] =
      least_s([&] { testing::kept_find(values.data(), values.data() + values.size(), num_calls); });

  EXPECT_GT(kept_s / num_calls, impossible_find_s);
}

TEST(Barrier, without_a_barrier_the_find_is_deleted) {
  const std::vector<double> values(num_elements, 0.0);
  constexpr std::size_t num_calls = 100;

  const auto [deleted_s] = least_s(
      [&] { testing::deleted_find(values.data(), values.data() + values.size(), num_calls); });

  EXPECT_LT(deleted_s / num_calls, impossible_find_s);
}

TEST(Barrier, twice_the_calls_take_twice_the_time) {
  constexpr std::size_t num_calls = 100'000;

  const auto [once_s, twice_s, local_once_s, local_twice_s] =
      least_s([] { testing::kept_root(2.0, num_calls); },
              [] { testing::kept_root(2.0, 2 * num_calls); },
              [] { testing::kept_local_sum(num_calls); },
              [] { testing::kept_local_sum(2 * num_calls); });

  EXPECT_GT(twice_s, 1.5 * once_s);
  EXPECT_GT(local_twice_s, 1.5 * local_once_s);
}

}  // namespace barrier_test
}  // namespace weft::lab
