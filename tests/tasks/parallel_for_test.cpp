// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bulk: every index once, whatever n, grain and workers.
#include "weft/tasks/parallel_for.hpp"

#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/runtime.hpp"

#include "tests/tasks/with_workers.hpp"

namespace parallel_for_test {

class ParallelFor : public testing::TestWithParam<int> {
 protected:
  weft::runtime runtime{weft::test::with_workers(GetParam())};
};

TEST_P(ParallelFor, calls_every_index_once) {
  for (const std::size_t n : {0UL, 1UL, 2UL, 3UL, 31UL, 32UL, 33UL, 10'007UL}) {
    for (const auto grain :
         std::initializer_list<std::optional<std::size_t>>{std::nullopt, 0, 1, 7, 100'000}) {
      std::vector<std::atomic<int>> calls(n);
      runtime.run(
          [&] { weft::parallel_for(n, [&](std::size_t i) { ++calls[i]; }, {.grain = grain}); });
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(calls[i].load(), 1) << "index " << i << " of " << n << ", grain "
                                      << (grain ? std::to_string(*grain) : "of its own");
      }
    }
  }
}

TEST_P(ParallelFor, exception_is_rethrown) {
  EXPECT_THROW(runtime.run([] {
    weft::parallel_for(1000,
                       [](std::size_t i) {
                         if (i == 500) {
                           throw std::out_of_range("500");
                         }
                       },
                       {.grain = 1});
  }),
               std::out_of_range);
}

TEST_P(ParallelFor, nests) {
  std::atomic<int> sum{0};
  runtime.run([&] {
    weft::parallel_for(20,
                       [&](std::size_t) { weft::parallel_for(20, [&](std::size_t) { ++sum; }); });
  });

  EXPECT_EQ(sum.load(), 400);
}

INSTANTIATE_TEST_SUITE_P(Workers, ParallelFor, testing::Values(1, 2, 4, 16));

}  // namespace parallel_for_test
