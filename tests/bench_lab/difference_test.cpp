// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences between answers: what counts as one, and how it is told.
#include "lab/bench/difference.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace weft::bench {
namespace difference_test {

TEST(Difference, whole_numbers_are_equal_or_not) {
  EXPECT_EQ(difference(3, 3, 1e6), "");
  EXPECT_EQ(difference(3, 4, 1e6), "3, expected 4");
  EXPECT_EQ(difference(true, true, 0), "");
}

TEST(Difference, floating_point_numbers_may_differ_by_so_many_ulps) {
  const double next = std::nextafter(1.0, 2.0);

  EXPECT_EQ(difference(1.0, next, 1), "");
  EXPECT_NE(difference(1.0, next, 0.5), "");
  EXPECT_NE(difference(1.0, 1.0 + 1e-12, 16), "");
  EXPECT_NE(difference(1e-310, 2e-310, 16), "");
  EXPECT_EQ(difference(0.0, -0.0, 0), "");
}

TEST(Difference, no_numbers_and_infinities_are_equal_to_their_like) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double large = std::numeric_limits<double>::infinity();

  EXPECT_EQ(difference(none, none, 0), "");
  EXPECT_EQ(difference(large, large, 0), "");
  EXPECT_NE(difference(none, 1.0, 1e9), "");
  EXPECT_NE(difference(large, 1.0, 1e9), "");
  EXPECT_NE(difference(large, -large, 1e9), "");
}

TEST(Difference, ranges_name_the_first_element_that_differs) {
  const std::vector<int> expected{1, 2, 3};

  EXPECT_EQ(difference(expected, expected, 0), "");
  EXPECT_EQ(difference(std::vector{1, 5, 6}, expected, 0), "element 1: 5, expected 2");
  EXPECT_EQ(difference(std::vector{1, 2}, expected, 0), "2 elements, expected 3");
  EXPECT_EQ(difference(std::vector<int>(), std::vector<int>(), 0), "");
}

TEST(Difference, pairs_tuples_and_complex_numbers_are_compared_by_parts) {
  using complex = std::complex<double>;

  EXPECT_EQ(difference(std::pair(1, 2.0), std::pair(1, 2.0), 0), "");
  EXPECT_EQ(difference(std::pair(1, 2.0), std::pair(7, 2.0), 0), "1, expected 7");
  EXPECT_NE(difference(std::tuple(1, 2, 3), std::tuple(1, 2, 4), 0), "");
  EXPECT_EQ(difference(complex(1, 2), complex(1, std::nextafter(2.0, 3.0)), 1), "");
  EXPECT_NE(difference(complex(1, 2), complex(1, 2.5), 1), "");
}

}  // namespace difference_test
}  // namespace weft::bench
