// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs depend on size and seed alone, have the properties the checkers rely on, and are guarded.
#include "lab/stl/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/stl/guarded_array.hpp"
#include "lab/stl/output_check.hpp"
#include "lab/stl/sums.hpp"

namespace weft::lab::stl {
namespace inputs_test {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr std::size_t size = 10000;

template <class T>
std::vector<T> filled(void (*fill)(std::span<T>, std::uint64_t), std::uint64_t seed) {
  std::vector<T> elements(size);
  fill(elements, seed);
  return elements;
}

template <class T>
class seeded_input : public ::testing::Test {};
using element_types = ::testing::Types<int, float, double>;
TYPED_TEST_SUITE(seeded_input, element_types);

TYPED_TEST(seeded_input, is_equal_for_equal_seeds_and_differs_otherwise) {
  for (const auto fill : {fill_signed_counting<TypeParam>,
                          fill_exact_summands<TypeParam>,
                          fill_shuffled<TypeParam>,
                          fill_ascending<TypeParam>}) {
    EXPECT_EQ(filled<TypeParam>(fill, 42), filled<TypeParam>(fill, 42));
    EXPECT_NE(filled<TypeParam>(fill, 42), filled<TypeParam>(fill, 43));
  }
}

TYPED_TEST(seeded_input, of_sort_is_a_permutation_far_from_sorted) {
  auto elements = filled<TypeParam>(fill_shuffled<TypeParam>, 42);
  std::size_t num_descents = 0;
  for (std::size_t i = 1; i < size; ++i) {
    num_descents += elements[i] < elements[i - 1] ? 1U : 0U;
  }
  EXPECT_NEAR(static_cast<double>(num_descents), size / 2.0, size / 20.0);

  std::sort(elements.begin(), elements.end());
  for (std::size_t i = 0; i < size; ++i) {
    ASSERT_EQ(elements[i], static_cast<TypeParam>(i + 1));
  }
}

TYPED_TEST(seeded_input, of_sums_has_no_zero_and_small_sums) {
  const auto elements = filled<TypeParam>(fill_exact_summands<TypeParam>, 42);
  double sum = 0;
  double largest_sum = 0;
  for (const auto element : elements) {
    ASSERT_NE(element, TypeParam{});
    ASSERT_LE(std::abs(static_cast<double>(element)), 4);
    sum += static_cast<double>(element);
    largest_sum = std::max(largest_sum, std::abs(sum));
  }
  EXPECT_LT(largest_sum, 6 * 2.74 * std::sqrt(static_cast<double>(size)));
}

TYPED_TEST(seeded_input, of_merge_ascends_with_repetitions) {
  const auto elements = filled<TypeParam>(fill_ascending<TypeParam>, 42);
  const std::set<TypeParam> distinct(elements.begin(), elements.end());

  EXPECT_TRUE(std::is_sorted(elements.begin(), elements.end()));
  EXPECT_LT(distinct.size(), 0.6 * size);
  EXPECT_GT(distinct.size(), 0.4 * size);
}

TEST(RandomBits, are_those_of_the_published_generator) {
  random_bits random(1234567);  // the reference values of SplitMix64 for this seed

  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
}

TEST(BalancedPositions, are_equal_for_equal_seeds_and_differ_otherwise) {
  EXPECT_EQ(balanced_positions(size, 64, 42), balanced_positions(size, 64, 42));
  EXPECT_NE(balanced_positions(size, 64, 42), balanced_positions(size, 64, 43));
}

TEST(BalancedPositions, lie_in_the_array_even_of_one_element) {
  EXPECT_THAT(balanced_positions(1, 64, 42), Each(std::size_t{0}));
  EXPECT_THAT(balanced_positions(3, 64, 42), Each(::testing::Lt(std::size_t{3})));
}

TEST(BalancedPositions, of_every_prefix_and_window_average_half_the_array) {
  const auto positions = balanced_positions(size, 1024, 42);
  for (const std::size_t count : {8U, 10U, 100U, 1000U}) {
    for (std::size_t first = 0; first + count <= 1024; first += count) {
      const auto begin = positions.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = begin + static_cast<std::ptrdiff_t>(count);
      const auto mean = static_cast<double>(std::accumulate(begin, end, std::size_t{0})) /
                        static_cast<double>(count);
      // Discrepancy of the sequence: about log2(count) / count.
      const double tolerance = std::log2(count) / static_cast<double>(count);
      ASSERT_NEAR(mean / size, 0.5, tolerance) << count << " positions from " << first;
    }
  }
}

TEST(CountingSum, equals_the_sum_and_is_exact_in_double_to_two_to_the_26) {
  EXPECT_EQ(counting_sum(1), 1.0L);
  EXPECT_EQ(counting_sum(4), 10.0L);
  EXPECT_EQ(counting_sum(1000), 500500.0L);
  EXPECT_EQ(counting_sum_tolerance<double>(std::size_t{1} << 26U), 0.0L);
  EXPECT_GT(counting_sum_tolerance<double>(std::size_t{1} << 28U), 0.0L);
  EXPECT_EQ(counting_sum_tolerance<float>(5000), 0.0L);
  EXPECT_GT(counting_sum_tolerance<float>(6000), 0.0L);
}

TEST(CountingSum, tolerance_holds_for_the_serial_sum_in_float_and_is_not_generous) {
  float sum = 0;
  for (std::size_t i = 1; i <= size; ++i) {
    sum += static_cast<float>(i);
  }
  const long double error = std::fabs(static_cast<long double>(sum) - counting_sum(size));

  EXPECT_LE(error, counting_sum_tolerance<float>(size));
  EXPECT_LE(counting_sum_tolerance<float>(size), 0.001L * counting_sum(size));
}

TEST(GuardedArray, is_page_aligned_and_notices_writes_on_both_sides) {
  const guarded_array<int> before(5);
  const guarded_array<int> after(5);
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(before.begin()) % 4096, 0U);
  ASSERT_TRUE(before.is_front_guard_intact());
  ASSERT_TRUE(after.is_back_guard_intact());

  before.begin()[-1] = 0;
  after.end()[0] = 0;

  EXPECT_FALSE(before.is_front_guard_intact());
  EXPECT_TRUE(before.is_back_guard_intact());
  EXPECT_FALSE(after.is_back_guard_intact());
}

TEST(GuardedArray, calls_touch_once_with_all_elements_before_its_own_writes) {
  const guarded_array<int> array(100, guard_byte::of_input, [](int* first, int* last) {
    for (; first != last; ++first) {
      *first = 7;
    }
  });

  EXPECT_THAT(array.elements(), Each(7));
}

TEST(OutputCheck, tells_zero_from_minus_zero_and_reports_a_number_that_is_none) {
  const guarded_array<double> array(2);
  array[0] = -0.0;
  array[1] = std::nan("");
  output_check<double> exact(array);
  exact.expect(0.0);
  output_check<double> near(array);
  near.expect_near(0.0L, 0.0L);
  near.expect_near(1.0L, 1e300L);

  EXPECT_EQ(exact.mismatch(array.begin() + 1), "element 0 is -0, expected 0");
  EXPECT_THAT(near.mismatch(array.end()), ::testing::StartsWith("element 1 is nan, expected 1"));
}

}  // namespace inputs_test
}  // namespace weft::lab::stl
