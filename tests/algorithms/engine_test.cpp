// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops, reductions and searches that algorithms are built from.
#include "weft/algorithms/detail/engine.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/for_each.hpp"
#include "weft/tasks/runtime.hpp"

namespace {

using weft::algorithms::detail::cost_record;

TEST(ForChunks, calls_every_index_once) {
  for (const std::size_t n : {0UL, 1UL, 2UL, 100UL, 5000UL, 1000000UL}) {
    std::vector<int> counts(n, 0);
    static constinit cost_record costs;
    weft::algorithms::detail::for_chunks(
        weft::par, {.n = n}, costs, [&](std::size_t first, std::size_t last) {
          for (; first != last; ++first) {
            ++counts[first];
          }
        });
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 1), static_cast<std::ptrdiff_t>(n));
  }
}

TEST(ReduceChunks, combines_in_order) {
  const std::size_t n = 20000;
  static constinit cost_record costs;
  const std::string all = weft::algorithms::detail::reduce_chunks<std::string>(
      weft::par,
      {.n = n},
      costs,
      [](std::size_t first, std::size_t last) {
        std::string text;
        for (; first != last; ++first) {
          text += static_cast<char>('a' + first % 26);
        }
        return text;
      },
      [](std::string a, const std::string& b) { return std::move(a) + b; });
  ASSERT_EQ(all.size(), n);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(all[i], static_cast<char>('a' + i % 26));
  }
}

TEST(FindChunk, gives_the_least_hit) {
  const std::size_t n = 3000000;
  for (const std::size_t hit : {0UL, 1UL, 5000UL, 1234567UL, n - 1, n}) {
    static constinit cost_record costs;
    const std::size_t found = weft::algorithms::detail::find_chunk(
        weft::par, {.n = n}, costs, [hit](std::size_t first, std::size_t last) {
          for (; first != last && first < hit; ++first) {
          }
          return first;
        });
    EXPECT_EQ(found, hit);
  }
}

TEST(ForEach, gives_a_future) {
  std::vector<int> values(100000, 1);
  weft::for_each(weft::par(weft::as_future), values.begin(), values.end(), [](int& x) {
    x = 2;
  }).get();
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 200000);
}

TEST(ForEach, runs_on_a_runtime) {
  weft::runtime_options options;
  options.workers = 3;
  weft::runtime home(options);
  std::vector<int> values(100000, 1);
  weft::for_each(weft::par.on(home).with(weft::static_chunk_size{100}),
                 values.begin(),
                 values.end(),
                 [](int& x) { x = 2; });
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 200000);
}

}  // namespace
