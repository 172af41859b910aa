// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled kernels with every set of instructions that they have and this machine runs.
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/detail/kernels/compress.hpp"
#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/kernels/scan_kernels.hpp"
#include "weft/algorithms/detail/kernels/vector_merge.hpp"
#include "weft/algorithms/detail/kernels/vector_sort.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"

#include "algorithms/kernel_choice.hpp"
#include "algorithms/kernel_searches.hpp"
#include "algorithms/plain_number_kernels.hpp"

namespace kernels_test {

namespace detail = weft::algorithms::detail;
namespace kernels = weft::algorithms::detail::kernels;

using weft::test::expect_difference_at_every_place;
using weft::test::expect_less_at_every_place;
using weft::test::expect_value_at_every_place;
#if defined(__SSE2__)
using weft::test::expect_zeros_equal;
using weft::test::without_denormals;
#endif

/// One set of instructions at a time.
class kernels_of_target : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { detail::use_kernel_target(GetParam()); }
  void TearDown() override { detail::use_kernel_target(""); }
};

/// Around the lengths of vectors, and of the blocks that kernels unroll to.
std::vector<std::size_t> lengths() {
  std::vector<std::size_t> all(70);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const std::size_t n :
       {127U, 128U, 129U, 255U, 256U, 257U, 511U, 513U, 1023U, 1025U, 3001U}) {
    all.push_back(n);
  }
  return all;
}

/// Numbers with many equal ones, the extreme ones among them.
template <class T>
std::vector<T> some_numbers(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> made(n);
  for (T& x : made) {
    const unsigned kind = random() % 64;
    if (kind == 0) {
      x = std::numeric_limits<T>::lowest();
    } else if (kind == 1) {
      x = std::numeric_limits<T>::max();
    } else {
      x = static_cast<T>(static_cast<int>(random() % 100) - (std::is_signed_v<T> ? 50 : 0));
    }
  }
  return made;
}

/// The same for the same numbers in any order. A lost number, a repeated one and a changed bit
/// change it.
template <class T>
std::uint64_t sum_of_mixed_bits(const std::vector<T>& numbers) {
  std::uint64_t sum = 0;
  for (const T& number : numbers) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof(T));
    bits = (bits + 1) * 0x9E37'79B9'7F4A'7C15U;
    sum += (bits ^ (bits >> 32U)) * 0xD1B5'4A32'D192'ED03U;
  }
  return sum;
}

template <class T>
void expect_splits() {
  for (const std::size_t n : lengths()) {
    const std::vector<T> keys = some_numbers<T>(n, static_cast<unsigned>(n));
    const std::uint64_t sum = sum_of_mixed_bits(keys);
    for (const T pivot : {static_cast<T>(7),
                          keys.empty() ? T{} : keys[n / 2],
                          std::numeric_limits<T>::lowest(),
                          std::numeric_limits<T>::max()}) {
      const auto check = [&](detail::split_side side, auto is_left) {
        std::vector<T> split = keys;
        split.push_back(static_cast<T>(42));  // not to be touched
        const std::size_t border =
            detail::vector_split(split.data(), n, detail::kind_of<T>(), side, &pivot);
        ASSERT_EQ(split.back(), static_cast<T>(42));
        split.pop_back();
        ASSERT_EQ(border, static_cast<std::size_t>(std::ranges::count_if(keys, is_left))) << n;
        ASSERT_TRUE(std::all_of(split.begin(), split.begin() + static_cast<long>(border), is_left));
        ASSERT_TRUE(std::none_of(split.begin() + static_cast<long>(border), split.end(), is_left));
        ASSERT_EQ(sum_of_mixed_bits(split), sum) << n;
      };
      check(detail::split_side::less, [pivot](T x) { return x < pivot; });
      check(detail::split_side::less_equal, [pivot](T x) { return x <= pivot; });
      check(detail::split_side::greater, [pivot](T x) { return x > pivot; });
      check(detail::split_side::greater_equal, [pivot](T x) { return x >= pivot; });
    }
  }
}

TEST_P(kernels_of_target, split_moves_one_side_to_the_front) {
  expect_splits<std::int16_t>();
  expect_splits<std::uint32_t>();
  expect_splits<std::int32_t>();
  expect_splits<std::int64_t>();
  expect_splits<std::uint64_t>();
  expect_splits<float>();
  expect_splits<double>();
}

TEST_P(kernels_of_target, sort_sorts) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{97}, std::size_t{5000}}) {
    std::vector<double> keys = some_numbers<double>(n, 3);
    std::vector<double> expected = keys;
    std::ranges::sort(expected, std::greater<>());

    detail::vector_sort<std::greater<>>(keys.begin(), n);

    EXPECT_EQ(keys, expected);
  }
}

/// Sorted ones with many equal ones, zeros of both signs among them.
template <class T, class Compare>
std::vector<T> some_sorted_numbers(std::size_t n, unsigned seed, Compare comp) {
  std::vector<T> made = some_numbers<T>(n, seed);
  for (std::size_t i = 0; i < n; i += 2) {
    made[i] = made[i] == T{0} ? static_cast<T>(-made[i]) : made[i];
  }
  std::ranges::sort(made, comp);  // zeros in any order
  return made;
}

/// The bytes of numbers, which tell 0.0 and -0.0 apart.
template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  std::string bytes(numbers.size() * sizeof(T), ' ');
  if (!numbers.empty()) {
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
  }
  return bytes;
}

/// Merges in three pieces, and returns the result and whether there is a kernel for it.
template <class T, class Compare>
std::pair<std::vector<T>, bool> merged_by_kernel(const std::vector<T>& a,
                                                 const std::vector<T>& b,
                                                 Compare /*comp*/) {
  const std::size_t n = a.size() + b.size();
  std::vector<T> out(n + 1, static_cast<T>(42));  // the last one is not to be touched
  const auto merge = [&](std::size_t first, std::size_t last) {
    return detail::vector_merge({a.data(), a.size(), b.data(), b.size(), out.data()},
                                first,
                                last,
                                detail::kind_of<T>(),
                                detail::order_of<Compare, T>());
  };
  const bool is_done = merge(0, n / 3) && merge(n / 2, n) && merge(n / 3, n / 2);
  EXPECT_EQ(out.back(), static_cast<T>(42));
  out.pop_back();
  return {out, is_done};
}

template <class T, class Compare>
void expect_merges(bool has_kernel) {
  const Compare comp;
  for (const std::size_t n : lengths()) {
    const std::vector<T> a = some_sorted_numbers<T>(n, 1, comp);
    for (const std::size_t m : {n, n / 5, 3 * n + 2}) {
      const std::vector<T> b = some_sorted_numbers<T>(m, 2, comp);
      std::vector<T> expected;
      std::ranges::merge(a, b, std::back_inserter(expected), comp);

      const auto [merged, is_done] = merged_by_kernel(a, b, comp);

      ASSERT_TRUE(is_done || !has_kernel);
      ASSERT_EQ(bytes_of(merged), bytes_of(is_done ? expected : std::vector<T>(n + m, T{42})));
    }
  }
  // Nothing outside is touched either if what is called sorted is not.
  const std::vector<T> a = some_numbers<T>(3000, 1);
  EXPECT_EQ(merged_by_kernel(a, a, comp).second, has_kernel);
}

TEST_P(kernels_of_target, merge_merges) {
  const bool has_highway = detail::kernel_targets().back() != "plain";
  detail::use_kernel_target(GetParam());  // to ask for all of them chooses the best
  const bool has_kernel = has_highway && GetParam().starts_with("AVX");
  expect_merges<std::int32_t, std::less<>>(has_kernel);
  expect_merges<std::uint32_t, std::greater<>>(has_kernel);
  expect_merges<std::int64_t, std::greater<>>(has_kernel);
  expect_merges<std::uint64_t, std::less<>>(has_kernel);
  expect_merges<float, std::less<>>(has_kernel);
  expect_merges<double, std::less<>>(has_kernel);
  expect_merges<double, std::greater<>>(has_kernel);
  expect_merges<std::int16_t, std::less<>>(false);
}

/// What is no number does not even equal itself.
template <std::floating_point T>
void expect_no_number_differs(std::vector<T> values) {
  const std::size_t n = values.size();
  if (n != 0) {
    values[n / 2] = std::numeric_limits<T>::quiet_NaN();
    const T* const data = values.data();
    ASSERT_EQ(kernels::find_pair_different(data, data, n), n / 2);
    ASSERT_EQ(kernels::find_equal(data, n, data[n / 2]), n);
    ASSERT_EQ(kernels::count_equal(data, n, data[n / 2]), 0U);
    ASSERT_EQ(kernels::find_pair_equal(data + n / 2, data + n / 2, 1), 1U);
  }
}

template <class T>
void expect_searches() {
  for (const std::size_t n : lengths()) {
    const std::vector<T> a = some_numbers<T>(n, 1);
    std::vector<T> b = some_numbers<T>(n, 2);
    const auto index = [](const auto& range, auto it) {
      return static_cast<std::size_t>(it - range.begin());
    };
    for (const T value : {static_cast<T>(9), static_cast<T>(101)}) {
      ASSERT_EQ(kernels::find_equal(a.data(), n, value), index(a, std::ranges::find(a, value)));
      ASSERT_EQ(kernels::count_equal(a.data(), n, value),
                static_cast<std::size_t>(std::ranges::count(a, value)));
      ASSERT_EQ(kernels::behind_last_equal(a.data(), n, value),
                n - static_cast<std::size_t>(std::find(a.rbegin(), a.rend(), value) - a.rbegin()));
    }
    ASSERT_EQ(kernels::find_pair_equal(a.data(), b.data(), n),
              index(a, std::ranges::mismatch(a, b, std::not_equal_to<>()).in1));
    b = a;
    for (const std::size_t place : {n, n / 2, std::size_t{0}}) {
      if (place < n) {
        b[place] = static_cast<T>(b[place] == T{} ? 1 : 0);
      }
      ASSERT_EQ(kernels::find_pair_different(a.data(), b.data(), n), std::min(place, n));
    }
    if constexpr (std::is_floating_point_v<T>) {
      expect_no_number_differs(a);
    }
    if (n >= 3) {  // places of a pair, two apart
      const std::size_t places = n - 2;
      std::size_t first = places;
      std::size_t behind = 0;
      for (std::size_t i = 0; i < places; ++i) {
        if (a[i] == a[places - 1] && a[i + 2] == a[n - 1]) {
          first = std::min(first, i);
          behind = i + 1;
        }
      }
      ASSERT_EQ(kernels::find_ends(a.data(), places, 3, a[places - 1], a[n - 1]), first);
      ASSERT_EQ(kernels::behind_last_ends(a.data(), places, 3, a[places - 1], a[n - 1]), behind);
    }
  }
}

TEST_P(kernels_of_target, searches_find_the_first_and_the_last) {
  expect_searches<std::uint8_t>();
  expect_searches<std::uint16_t>();
  expect_searches<std::uint32_t>();
  expect_searches<std::uint64_t>();
  expect_searches<float>();
  expect_searches<double>();
}

TEST_P(kernels_of_target, searches_find_what_is_hard_to_tell_apart_at_every_place) {
  expect_value_at_every_place<std::uint8_t>(0x80, 0x80);
  expect_value_at_every_place<std::uint16_t>(0, 0);
  expect_value_at_every_place<std::uint32_t>(7, 7);
  expect_value_at_every_place<std::uint64_t>(~std::uint64_t{0}, ~std::uint64_t{0});
  expect_value_at_every_place<float>(0.0F, -0.0F);
  expect_value_at_every_place<double>(-0.0, 0.0);
  expect_value_at_every_place<double>(3.0, 3.0);
  expect_difference_at_every_place<std::uint8_t>(1, 1);
  expect_difference_at_every_place<std::uint64_t>(5, 5);
  expect_difference_at_every_place<float>(0.0F, -0.0F);
  expect_difference_at_every_place<double>(3.0, 3.0);
  expect_less_at_every_place<std::int32_t>();
  expect_less_at_every_place<std::uint64_t>();
  expect_less_at_every_place<float>();
  expect_less_at_every_place<double>();
}

#if defined(__SSE2__)

TEST_P(kernels_of_target, searches_take_denormal_numbers_for_zeros_where_the_thread_does) {
  {
    const without_denormals mode;
    const volatile double tiny = std::numeric_limits<double>::denorm_min();
    ASSERT_TRUE(tiny == 0);
  }
  for (const std::size_t n : {5U, 200U, 1029U, 9001U}) {
    for (const std::size_t place : {std::size_t{0}, n / 2, n - 3, n - 1}) {
      expect_zeros_equal<float>(n, place);
      expect_zeros_equal<double>(n, place);
    }
  }
}

#endif

template <class T>
void expect_extremes() {
  for (const std::size_t n : lengths()) {
    const std::vector<T> a = some_numbers<T>(n, 5);
    std::vector<T> above = a;
    for (const std::size_t place : {n, n / 2, std::size_t{0}}) {
      if (place < n) {
        above[place] = std::numeric_limits<T>::max();
        std::vector<T> lower = a;
        lower[place] = std::numeric_limits<T>::lowest();
        ASSERT_EQ(kernels::least(lower.data(), n), std::numeric_limits<T>::lowest());
        ASSERT_EQ(kernels::greatest(above.data(), n), std::numeric_limits<T>::max());
      }
      ASSERT_EQ(kernels::find_pair_less(a.data(), above.data(), n),
                static_cast<std::size_t>(
                    std::ranges::mismatch(a, above, std::greater_equal<>()).in1 - a.begin()));
    }
    if (n != 0) {
      ASSERT_EQ(kernels::least(a.data(), n), std::ranges::min(a));
      ASSERT_EQ(kernels::greatest(a.data(), n), std::ranges::max(a));
    }
  }
}

TEST_P(kernels_of_target, extremes_are_those_of_a_loop) {
  expect_extremes<std::int32_t>();
  expect_extremes<std::uint32_t>();
  expect_extremes<std::int64_t>();
  expect_extremes<std::uint64_t>();
  expect_extremes<float>();
  expect_extremes<double>();
}

/// Whole numbers whose sums are exact in any grouping.
template <class T>
std::vector<T> small_numbers(std::size_t n) {
  std::vector<T> made(n);
  for (std::size_t i = 0; i < n; ++i) {
    made[i] = static_cast<T>(i * 7919 % 13);
  }
  return made;
}

template <class T>
void expect_sums() {
  for (const std::size_t n : lengths()) {
    const std::vector<T> a = small_numbers<T>(n);
    ASSERT_EQ(kernels::sum(a.data(), n), std::accumulate(a.begin(), a.end(), T{})) << n;
    if constexpr (std::is_floating_point_v<T>) {
      const std::vector<T> b(a.rbegin(), a.rend());
      ASSERT_EQ(kernels::dot(a.data(), b.data(), n),
                std::inner_product(a.begin(), a.end(), b.begin(), T{}));
    }
  }
}

TEST_P(kernels_of_target, sums_are_those_of_a_loop) {
  expect_sums<std::uint32_t>();
  expect_sums<std::uint64_t>();
  expect_sums<float>();
  expect_sums<double>();
}

template <class T>
void expect_running_sums() {
  for (const std::size_t n : lengths()) {
    const std::vector<T> from = small_numbers<T>(n);
    const T before = static_cast<T>(5);
    std::vector<T> inclusive(n);
    std::vector<T> exclusive(n);
    std::inclusive_scan(from.begin(), from.end(), inclusive.begin(), std::plus<>(), before);
    std::exclusive_scan(from.begin(), from.end(), exclusive.begin(), before);
    const T all = std::accumulate(from.begin(), from.end(), before);
    std::vector<T> to(n + 1, T{42});  // the last is not to be touched

    ASSERT_EQ(kernels::running_sums<true>(from.data(), n, to.data(), before), all);
    ASSERT_TRUE(std::equal(inclusive.begin(), inclusive.end(), to.begin())) << n;
    ASSERT_EQ(kernels::running_sums<false>(from.data(), n, to.data(), before), all);
    ASSERT_TRUE(std::equal(exclusive.begin(), exclusive.end(), to.begin())) << n;
    ASSERT_EQ(to.back(), T{42});
    std::vector<T> in_place = from;
    ASSERT_EQ(kernels::running_sums<true>(in_place.data(), n, in_place.data(), before), all);
    ASSERT_EQ(in_place, inclusive);
    in_place = from;
    ASSERT_EQ(kernels::running_sums<false>(in_place.data(), n, in_place.data(), before), all);
    ASSERT_EQ(in_place, exclusive);
  }
}

/// Running sums of n numbers past the caches into `to`, from `shift` on, as another sum is taken.
template <bool is_inclusive, class T>
void expect_sums_past_caches(std::span<const T> all, std::size_t n, std::size_t shift) {
  const std::span<const T> from = all.first(n);
  const std::span<const T> next = all.subspan(shift, std::min(n, all.size() - shift));
  const T before = static_cast<T>(5);
  std::vector<T> expected(n + shift + 1, T{42});
  std::vector<T> to = expected;
  T sum = before;
  for (std::size_t i = 0; i < n; ++i) {
    const T with = static_cast<T>(sum + from[i]);
    expected[shift + i] = is_inclusive ? with : sum;
    sum = with;
  }
  T sum_of_next = static_cast<T>(77);

  ASSERT_EQ(
      kernels::running_sums_past<is_inclusive>(from, to.data() + shift, before, next, sum_of_next),
      sum);
  detail::stream_fence();
  ASSERT_EQ(to, expected) << n << ", " << shift;
  ASSERT_EQ(sum_of_next,
            next.empty() ? static_cast<T>(77) : std::accumulate(next.begin(), next.end(), T{}))
      << n << ", " << shift;
}

template <class T>
void expect_all_past_caches() {
  const std::vector<T> all = small_numbers<T>(400);
  for (const std::size_t n : {0UL, 1UL, 7UL, 16UL, 31UL, 64UL, 129UL, 400UL}) {
    for (const std::size_t shift : {0UL, 1UL, 3UL, 8UL, 17UL, 350UL, 400UL}) {
      expect_sums_past_caches<true>(std::span<const T>(all), n, shift);
      expect_sums_past_caches<false>(std::span<const T>(all), n, shift);
    }
  }
}

TEST_P(kernels_of_target, running_sums_past_the_caches_are_those_of_a_loop) {
  expect_all_past_caches<std::int32_t>();
  expect_all_past_caches<std::uint64_t>();
  expect_all_past_caches<float>();
  expect_all_past_caches<double>();
}

TEST_P(kernels_of_target, only_whole_numbers_pass_the_caches) {
  alignas(64) std::array<double, 9> numbers{};
  const auto* const bytes = std::as_bytes(std::span<const double>(numbers)).data();
  EXPECT_TRUE(kernels::are_lines_whole<double>(bytes));
  EXPECT_TRUE(kernels::are_lines_whole<double>(bytes + 8));
  EXPECT_FALSE(kernels::are_lines_whole<double>(bytes + 4));  // as in structures of some machines
  EXPECT_TRUE(kernels::are_lines_whole<float>(bytes + 4));
  EXPECT_EQ(kernels::can_pass_caches(numbers.data() + 1), kernels::can_pass_caches(numbers.data()));
  if (GetParam().starts_with("AVX") || GetParam().starts_with("SSE")) {
    EXPECT_TRUE(kernels::can_pass_caches(numbers.data()));
  }
}

TEST_P(kernels_of_target, running_sums_are_those_of_a_loop) {
  expect_running_sums<std::int32_t>();
  expect_running_sums<std::uint32_t>();
  expect_running_sums<std::int64_t>();
  expect_running_sums<float>();
  expect_running_sums<double>();
}

template <class T>
void expect_minus_zeros() {
  const auto is_minus_zero = [](T x) { return x == 0 && std::signbit(x); };
  for (const std::size_t n : lengths()) {
    if (n == 0) {
      continue;
    }
    const std::vector<T> from(n, -T{0});
    std::vector<T> to(n, T{42});
    ASSERT_TRUE(is_minus_zero(kernels::running_sums<true>(from.data(), n, to.data(), -T{0})));
    ASSERT_TRUE(std::all_of(to.begin(), to.end(), is_minus_zero)) << n;
    std::fill(to.begin(), to.end(), T{42});
    ASSERT_TRUE(is_minus_zero(kernels::running_sums<false>(from.data(), n, to.data(), -T{0})));
    ASSERT_TRUE(std::all_of(to.begin(), to.end(), is_minus_zero)) << n;
    ASSERT_TRUE(is_minus_zero(kernels::sum(from.data(), n))) << n;
    const std::vector<T> ones(n, T{1});
    ASSERT_TRUE(is_minus_zero(kernels::dot(from.data(), ones.data(), n))) << n;
  }
}

TEST_P(kernels_of_target, sums_of_minus_zeros_are_minus_zero) {
  expect_minus_zeros<float>();
  expect_minus_zeros<double>();
}

TEST_P(kernels_of_target, running_sums_of_whole_numbers_wrap_around) {
  const std::vector<std::uint32_t> from(100, 0x8000'0001U);
  std::vector<std::uint32_t> to(from.size());

  EXPECT_EQ(kernels::running_sums<true>(from.data(), from.size(), to.data(), 0U), 100U);
  EXPECT_EQ(to[1], 2U);
  EXPECT_EQ(to[98], 0x8000'0063U);
}

template <class Word>
void expect_compressed() {
  std::mt19937_64 random(1);
  for (std::size_t num_masks = 1; num_masks < 6; ++num_masks) {
    for (const std::uint64_t flip : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      const std::size_t n = 64 * num_masks;
      std::vector<Word> from(n);
      std::iota(from.begin(), from.end(), Word{1});
      std::vector<std::uint64_t> masks(num_masks);
      for (std::uint64_t& mask : masks) {
        const std::array<std::uint64_t, 4> kinds{
            0, ~std::uint64_t{0}, random(), random() & random() & random()};
        mask = kinds[random() % kinds.size()];
      }
      std::vector<Word> expected;
      for (std::size_t i = 0; i < n; ++i) {
        if (((masks[i / 64] ^ flip) >> (i % 64) & 1U) != 0) {
          expected.push_back(from[i]);
        }
      }
      const std::size_t kept = expected.size();
      std::vector<Word> to(kept + 1, Word{0});

      EXPECT_EQ(detail::compress(from.data(), {masks.data(), num_masks, flip}, to.data()), kept);
      EXPECT_EQ(to.back(), 0U);
      to.pop_back();
      EXPECT_EQ(to, expected);
      EXPECT_EQ(detail::compress(from.data(), {masks.data(), num_masks, flip}, from.data()), kept);
      from.resize(kept);
      EXPECT_EQ(from, expected);  // in place
    }
  }
}

TEST_P(kernels_of_target, compress_keeps_what_masks_say) {
  expect_compressed<std::uint32_t>();
  expect_compressed<std::uint64_t>();
}

INSTANTIATE_TEST_SUITE_P(all,
                         kernels_of_target,
                         testing::ValuesIn(detail::kernel_targets()),
                         [](const auto& chosen) { return chosen.param; });

TEST(Kernels, those_without_vectors_agree_with_the_chosen_ones) {
  for (const std::size_t n : lengths()) {
    const std::vector<double> a = some_numbers<double>(n, 1);
    const std::vector<double> b = some_numbers<double>(n, 2);
    const std::vector<double> small = small_numbers<double>(n);
    const auto* const x = a.data();
    const auto* const y = b.data();
    namespace plain = kernels::plain;
    ASSERT_EQ(plain::find_equal_f64(x, n, 9), kernels::find_equal(x, n, 9.0));
    ASSERT_EQ(plain::behind_last_equal_f64(x, n, 9), kernels::behind_last_equal(x, n, 9.0));
    ASSERT_EQ(plain::count_equal_f64(x, n, 9), kernels::count_equal(x, n, 9.0));
    ASSERT_EQ(plain::find_pair_equal_f64(x, y, n), kernels::find_pair_equal(x, y, n));
    ASSERT_EQ(plain::find_pair_different_f64(x, x, n), n);
    ASSERT_EQ(plain::find_pair_less_f64(x, y, n), kernels::find_pair_less(x, y, n));
    ASSERT_EQ(plain::sum_f64(small.data(), n), kernels::sum(small.data(), n));
    ASSERT_EQ(plain::dot_f64(small.data(), small.data(), n),
              kernels::dot(small.data(), small.data(), n));
    if (n != 0) {
      ASSERT_EQ(plain::least_f64(x, n), kernels::least(x, n));
      ASSERT_EQ(plain::greatest_f64(x, n), kernels::greatest(x, n));
    }
    if (n >= 2) {
      ASSERT_EQ(plain::find_ends_f64(x, n - 1, 2, x[n / 2 - 1], x[n / 2]),
                kernels::find_ends(x, n - 1, 2, x[n / 2 - 1], x[n / 2]));
      ASSERT_EQ(plain::behind_last_ends_f64(x, n - 1, 2, x[0], x[1]),
                kernels::behind_last_ends(x, n - 1, 2, x[0], x[1]));
    }
  }
}

}  // namespace kernels_test
