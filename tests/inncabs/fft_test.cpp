// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem fft against the definition of the transform, for sizes that use every radix.
#include "lab/inncabs/fft/fft.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inncabs/inline_runtime.hpp"
#include "lab/inncabs/fft/complex_number.hpp"
#include "lab/inncabs/fft/fft_futures.hpp"
#include "lab/inncabs/fft/fft_groups.hpp"
#include "lab/inncabs/fft/radices.hpp"
#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::fft {
namespace fft_test {

using ::testing::HasSubstr;
using testing::inline_runtime;

std::vector<complex_number> by_definition(const std::vector<complex_number>& values) {
  const std::size_t size = values.size();
  std::vector<complex_number> found;
  for (std::size_t k = 0; k < size; ++k) {
    complex_number sum{0, 0};
    for (std::size_t j = 0; j < size; ++j) {
      const double angle =
          -2 * std::numbers::pi * static_cast<double>(j * k % size) / static_cast<double>(size);
      sum = sum + values[j] * complex_number{std::cos(angle), std::sin(angle)};
    }
    found.push_back(sum);
  }
  return found;
}

double distance(const auto& one, const auto& other) {
  double largest = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    largest = std::max(largest, std::hypot(one[i].re - other[i].re, one[i].im - other[i].im));
  }
  return largest;
}

/// Small ones; divided by each radix; primes; products of odd numbers; the study's, but smaller.
const std::vector<std::size_t> sizes{1,  2,  3,  4,  5,  6,  7,   8,   12,  16,  24,  31,
                                     32, 40, 48, 49, 64, 97, 105, 128, 160, 243, 512, 1000};

TEST(FftReference, agrees_with_the_definition) {
  for (const std::size_t size : sizes) {
    const input from = make_random_input(size, size);
    EXPECT_LT(distance(from.expected, by_definition(from.values)), 1e-10) << size << " values";
  }
}

TEST(FftOracle, agrees_with_the_definition) {
  for (const std::size_t size : sizes) {
    const input from = make_random_input(size, size + 1);
    const result found = run_serial(from);
    EXPECT_LT(distance(found, by_definition(from.values)), 1e-10) << size << " values";
    EXPECT_EQ(mismatch(from, found), "");
  }
}

TEST(FftOracle, transforms_a_constant_to_a_single_peak) {
  for (const std::size_t size : sizes) {
    const input from = make_constant_input(size);
    EXPECT_LT(distance(from.expected, by_definition(from.values)), 1e-10);
    EXPECT_EQ(mismatch(from, run_serial(from)), "") << size << " values";
  }
}

TEST(FftOracle, transforms_the_million_of_the_study) {
  const input from = make_input(input_class::paper, 1);

  EXPECT_EQ(from.values.size(), 1'000'000U);
  EXPECT_EQ(mismatch(from, run_serial(from)), "");
}

TEST(FftInput, depends_on_the_seed_only) {
  const input from = make_input(input_class::tiny, 1);

  EXPECT_EQ(from.values, make_input(input_class::tiny, 1).values);
  EXPECT_NE(from.values, make_input(input_class::tiny, 2).values);
}

TEST(FftCheck, rejects_a_wrong_element) {
  const input from = make_random_input(1000, 1);
  result found = run_serial(from);
  found[17].im += 1e-6;

  EXPECT_THAT(mismatch(from, found), HasSubstr("element 17 is ("));
}

TEST(FftCheck, rejects_what_is_no_number) {
  const input from = make_random_input(1000, 1);
  result found = run_serial(from);
  found[999].re = std::numeric_limits<double>::quiet_NaN();

  EXPECT_THAT(mismatch(from, found), HasSubstr("element 999 is (nan"));
}

TEST(FftCheck, rejects_a_missing_element) {
  const input from = make_constant_input(10);
  result found = run_serial(from);
  found.pop_back();

  EXPECT_EQ(mismatch(from, found), "9 elements, expected 10");
}

TEST(FftRadices, divide_a_million_by_16_and_4_and_5) {
  EXPECT_EQ(radix_of(1'000'000), 16U);
  EXPECT_EQ(radix_of(62'500), 4U);
  EXPECT_EQ(radix_of(15'625), 5U);
  EXPECT_EQ(radix_of(5), 5U);
}

TEST(FftTasks, are_counted_by_hand_for_small_inputs) {
  // 32 values are transformed at once, from 17 roots.
  EXPECT_EQ(num_tasks(make_constant_input(32)), 0U);
  // 25: reordering 5 needs none, five times 5 values none, combining 5 iterations 2 + 4 + 2.
  EXPECT_EQ(num_tasks(make_constant_input(25)), 8U);
}

TEST(FftTasks, are_nearly_as_many_as_the_study_counted) {
  const auto found = num_tasks(make_input(input_class::paper, 1));

  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(static_cast<double>(*found), 2.04e6, .02 * 2.04e6);
}

TEST(FftFutures, equals_the_oracle) {
  const auto at_once = inline_runtime::launch::at_once;
  for (const std::size_t size : sizes) {
    const input from = make_random_input(size, 3);
    EXPECT_EQ(run_futures<inline_runtime>(from, at_once), run_serial(from)) << size << " values";
  }
  const input from = make_input(input_class::tiny, 3);
  EXPECT_EQ(mismatch(from, run_futures<inline_runtime>(from, at_once)), "");
}

TEST(FftGroups, equals_the_oracle) {
  for (const std::size_t size : sizes) {
    const input from = make_random_input(size, 3);
    EXPECT_EQ(run_groups<inline_runtime>(from), run_serial(from)) << size << " values";
  }
  const input from = make_input(input_class::tiny, 3);
  EXPECT_EQ(mismatch(from, run_groups<inline_runtime>(from)), "");
}

}  // namespace fft_test
}  // namespace weft::lab::inncabs::fft
