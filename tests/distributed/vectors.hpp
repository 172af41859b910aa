// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distributed vectors of all shapes, in jobs of several sizes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "weft/distributed/distribution.hpp"
#include "weft/distributed/vector.hpp"

#include "tests/distributed/ranks.hpp"

namespace weft::test {

struct vector_shape {
  std::size_t size;
  distributed::distribution spread;
};

/// Calls `body(shape)` on all ranks of jobs of 1, 2, 3 and 5 ranks, for small and random sizes.
template <class Body>
void with_shapes(Body body) {
  for (const int num_ranks : {1, 2, 3, 5}) {
    ranks job({.size = num_ranks, .longest_delay = std::chrono::microseconds(20)});
    job.run([&] {
      std::mt19937 random(static_cast<unsigned>(num_ranks));  // the same on all ranks
      const auto few = static_cast<std::size_t>(num_ranks) - 1;
      for (const std::size_t size : {std::size_t{0}, std::size_t{1}, few, 2 + random() % 300}) {
        for (const distributed::distribution spread :
             {distributed::block, distributed::cyclic(), distributed::cyclic(1 + random() % 9)}) {
          body(vector_shape{size, spread});
          // SCOPED_TRACE belongs to a thread, and a task may change its thread.
          ASSERT_FALSE(testing::Test::HasFailure())
              << num_ranks << " ranks, " << size << " elements, blocks of " << spread.block_size;
        }
      }
    });
  }
}

/// The value of element `i` in tests: small numbers, among which many are equal.
inline int value_at(std::size_t i) { return static_cast<int>((i * 2654435761U >> 7) % 40) - 20; }

inline distributed::vector<int> numbers(const vector_shape& shape) {
  distributed::vector<int> all(shape.size, shape.spread);
  for (std::size_t i = 0; i < all.local().size(); ++i) {
    all.local()[i] = value_at(all.global_index(i));
  }
  return all;
}
inline std::vector<int> expected_numbers(const vector_shape& shape) {
  std::vector<int> all(shape.size);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = value_at(i);
  }
  return all;
}

/// Checks this rank's elements against those of the whole vector.
template <class T>
void expect_elements(const distributed::vector<T>& all, const std::vector<T>& expected) {
  ASSERT_EQ(all.size(), expected.size());
  for (std::size_t i = 0; i < all.local().size(); ++i) {
    ASSERT_EQ(all.local()[i], expected[all.global_index(i)]) << all.global_index(i);
  }
}

}  // namespace weft::test
