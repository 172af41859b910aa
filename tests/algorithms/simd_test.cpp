// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Callables that take packs of elements, of every width and at every end.
#include "weft/algorithms/simd.hpp"

#include <cstddef>
#include <functional>
#include <numeric>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"

namespace simd_test {

namespace stdx = std::experimental;

template <class T>
std::vector<T> counted(std::size_t n) {
  std::vector<T> all(n);
  std::iota(all.begin(), all.end(), T{0});
  return all;
}

TEST(Simd, packs_are_written_back) {
  for (const std::size_t n : {0UL, 1UL, 7UL, 33UL, 100003UL}) {
    std::vector<double> all = counted<double>(n);

    weft::for_each(weft::par_simd, all.begin(), all.end(), [](auto& x) {
      static_assert(stdx::is_simd_v<std::remove_reference_t<decltype(x)>>);
      stdx::where(x > 10.0, x) = -x;
    });

    for (std::size_t i = 0; i < n; ++i) {
      const auto expected = static_cast<double>(i);
      ASSERT_EQ(all[i], i > 10 ? -expected : expected);
    }
  }
}

TEST(Simd, packs_may_be_only_read) {
  const std::vector<float> all(1003, 1.0F);
  float sum = 0;

  weft::for_each(weft::simd, all.begin(), all.end(), [&sum](auto x) { sum += stdx::reduce(x); });

  EXPECT_EQ(sum, 1003.0F);
}

TEST(Simd, transforms_packs) {
  const std::vector<float> a = counted<float>(100003);
  const std::vector<int> b(a.size(), 2);
  std::vector<double> out(a.size());

  EXPECT_EQ(weft::transform(
                weft::par_simd, a.begin(), a.end(), out.begin(), [](auto x) { return x + 1.0F; }),
            out.end());
  EXPECT_EQ(out[100002], 100003.0);
  weft::transform(
      weft::simd, a.begin(), a.end(), b.begin(), out.begin(), [](const auto& x, const auto& y) {
        return x * stdx::static_simd_cast<std::remove_cvref_t<decltype(x)>>(y);
      });

  EXPECT_EQ(out[100002], 200004.0);
}

TEST(Simd, reduces_packs) {
  const std::vector<long> all = counted<long>(100003);
  const long sum = 100003L * 100002 / 2;

  EXPECT_EQ(weft::reduce(weft::par_simd, all.begin(), all.end(), 1L, std::plus<>()), sum + 1);
  EXPECT_EQ(weft::reduce(weft::simd, all.begin(), all.begin() + 3, 1L, std::plus<>()), 4);
  EXPECT_EQ(weft::reduce(weft::simd, all.begin(), all.begin(), 1L, std::plus<>()), 1);
  EXPECT_EQ(weft::transform_reduce(
                weft::par_simd,
                all.begin(),
                all.end(),
                0L,
                [](auto a, auto b) { return stdx::max(a, b); },
                [](auto x) { return -x; }),
            0);
  EXPECT_EQ(weft::transform_reduce(weft::par_simd,
                                   all.begin(),
                                   all.end(),
                                   all.begin(),
                                   0L,
                                   std::plus<>(),
                                   [](auto a, auto b) { return a - b + 1; }),
            100003);
}

TEST(Simd, finds_and_counts_by_masks) {
  const std::vector<int> all = counted<int>(100003);
  const auto is_late = [](const auto& x) { return x > 77777; };

  EXPECT_EQ(weft::count_if(weft::par_simd, all.begin(), all.end(), is_late), 100002 - 77777);
  EXPECT_EQ(weft::find_if(weft::par_simd, all.begin(), all.end(), is_late) - all.begin(), 77778);
  EXPECT_EQ(weft::find_if_not(weft::simd, all.begin() + 77778, all.end(), is_late), all.end());
  EXPECT_TRUE(weft::any_of(weft::simd, all.begin(), all.end(), is_late));
  EXPECT_TRUE(weft::none_of(weft::par_simd, all.begin(), all.begin() + 77778, is_late));
  EXPECT_FALSE(weft::all_of(weft::par_simd, all.begin(), all.end(), is_late));
  EXPECT_TRUE(weft::all_of(weft::par_simd, all.begin() + 77778, all.end(), is_late));
}

TEST(Simd, what_takes_a_number_is_called_with_numbers) {
  std::vector<double> all = counted<double>(1000);

  weft::for_each(weft::par_simd, all.begin(), all.end(), [](double& x) { x = 1; });

  EXPECT_EQ(weft::reduce(weft::par_simd, all.begin(), all.end(), 0.0, std::plus<double>()), 1000.0);
  EXPECT_EQ(
      weft::count_if(
          weft::par_simd(weft::as_future), all.begin(), all.end(), [](auto x) { return x == 1.0; })
          .get(),
      1000);
}

}  // namespace simd_test
