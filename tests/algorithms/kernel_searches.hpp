// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares compiled searches with loops where equality is hard to tell, and hits are anywhere.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <gtest/gtest.h>

#include "weft/algorithms/detail/kernels/number_kernels.hpp"

namespace weft::test {

namespace kernels = weft::algorithms::detail::kernels;

/// Numbers that do not equal `value`, though nearly: each differs in one bit, or is not a number.
template <class T>
std::vector<T> near_misses(std::size_t n, T value) {
  std::vector<T> made(n);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      const std::array<T, 5> kinds{std::nextafter(value, T{9}),
                                   value == 0 ? std::numeric_limits<T>::min() : -value,
                                   std::numeric_limits<T>::quiet_NaN(),
                                   -std::numeric_limits<T>::infinity(),
                                   std::numeric_limits<T>::denorm_min()};
      made[i] = kinds[i % kinds.size()];
    } else {
      made[i] = static_cast<T>(value ^ static_cast<T>(T{1} << (i % (8 * sizeof(T)))));
    }
  }
  return made;
}

/// Every place of some blocks; of what is long enough to be read by pages, one of every 64 bytes,
/// the smallest block, around the borders of the first pages and the last, and some in between.
/// `check_of(n)` makes what checks places of n elements.
template <class T, class CheckOf>
void at_every_place(const CheckOf& check_of) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{95}, 1200 / sizeof(T)}) {
    const auto check = check_of(n);
    for (std::size_t place = 0; place <= n; ++place) {
      check(place);
    }
  }
  const std::size_t large = (std::size_t{34} << 10U) / sizeof(T) + 77;
  const auto check = check_of(large);
  for (std::size_t place = 0; place < large; place += 2 * (large / 64) + 1) {
    check(place);
  }
  check(large - 1);
  check(large);
  constexpr std::size_t page = 4096 / sizeof(T);
  constexpr std::size_t around = 256 / sizeof(T);  // the largest block
  for (const std::size_t border : {page, 2 * page, 8 * page}) {
    for (std::size_t place = border - around; place < border + around; place += 64 / sizeof(T)) {
      check(place);
    }
  }
}

template <class T>
void expect_value_at_every_place(T value, T same_value) {
  at_every_place<T>([value, same_value](std::size_t n) {
    const std::vector<T> misses = near_misses<T>(n, value);
    const std::vector<T> b(n, value);
    return [=](std::size_t place) {
      std::vector<T> a = misses;
      if (place != n) {
        a[place] = same_value;
      }
      ASSERT_EQ(kernels::find_equal(a.data(), n, value), place) << n;
      ASSERT_EQ(kernels::behind_last_equal(a.data(), n, value), place == n ? 0 : place + 1) << n;
      ASSERT_EQ(kernels::count_equal(a.data(), n, value), place == n ? 0 : 1) << n;
      ASSERT_EQ(kernels::find_pair_equal(a.data(), b.data(), n), place) << n;
      ASSERT_EQ(kernels::find_pair_equal(b.data(), a.data(), n), place) << n;
    };
  });
}

template <class T>
void expect_difference_at_every_place(T value, T same_value) {
  at_every_place<T>([value, same_value](std::size_t n) {
    const std::vector<T> a(n, value);
    const std::vector<T> same(n, same_value);
    return [=](std::size_t place) {
      std::vector<T> b = same;
      if (place != n) {
        b[place] = near_misses<T>(place % 64 + 1, value).back();
      }
      ASSERT_EQ(kernels::find_pair_different(a.data(), b.data(), n), place) << n;
      ASSERT_EQ(kernels::find_pair_different(b.data(), b.data(), n),
                place != n && b[place] != b[place] ? place : n);  // NOLINT: what is not a number
    };
  });
}

template <class T>
void expect_less_at_every_place() {
  at_every_place<T>([](std::size_t n) {
    std::vector<T> zeros(n, T{0});
    std::vector<T> others(n, static_cast<T>(-T{0}));
    if constexpr (std::is_floating_point_v<T>) {
      for (std::size_t i = 0; i < n; i += 3) {
        (i % 2 == 0 ? zeros : others)[i] = std::numeric_limits<T>::quiet_NaN();
      }
    }
    return [n, zeros, others](std::size_t place) {
      std::vector<T> a = zeros;
      std::vector<T> b = others;
      if (place != n) {
        a[place] = std::numeric_limits<T>::lowest();
        b[place] = T{0};
        b[place] = std::is_signed_v<T> ? b[place] : static_cast<T>(1);
      }
      ASSERT_EQ(kernels::find_pair_less(a.data(), b.data(), n), place) << n;
    };
  });
}

#if defined(__SSE2__)

/// The calling thread takes denormal numbers for zeros, as those of -ffast-math do.
class without_denormals {
 public:
  without_denormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040U); }  // FTZ and DAZ
  without_denormals(const without_denormals&) = delete;
  without_denormals& operator=(const without_denormals&) = delete;
  ~without_denormals() { _mm_setcsr(before_); }

 private:
  unsigned before_;
};

/// Ones, and from `place` on denormal numbers, zeros of both signs, and ones in turns.
template <class T>
std::vector<T> with_denormals_from(std::size_t n, std::size_t place) {
  const T least = std::numeric_limits<T>::denorm_min();
  const std::array<T, 6> kinds{least, T{0}, 3 * least, -least, -T{0}, T{1}};
  std::vector<T> made(n, T{1});
  for (std::size_t i = place; i < n; ++i) {
    made[i] = kinds[(i - place) % kinds.size()];
  }
  return made;
}

template <class T>
void expect_zeros_equal(std::size_t n, std::size_t place) {
  const T least = std::numeric_limits<T>::denorm_min();
  const std::vector<T> a = with_denormals_from<T>(n, place);
  const std::vector<T> values{T{0}, -T{0}, least, -least, 5 * least, T{1}, T{2}};
  const without_denormals mode;
  for (const T value : values) {
    const auto first = std::ranges::find(a, value) - a.begin();
    const auto last = std::find(a.rbegin(), a.rend(), value) - a.rbegin();
    ASSERT_EQ(kernels::find_equal(a.data(), n, value), static_cast<std::size_t>(first)) << n;
    ASSERT_EQ(kernels::behind_last_equal(a.data(), n, value), n - static_cast<std::size_t>(last));
    ASSERT_EQ(kernels::count_equal(a.data(), n, value),
              static_cast<std::size_t>(std::ranges::count(a, value)))
        << n << ' ' << place;
  }
  ASSERT_EQ(kernels::find_equal(a.data(), n, kernels::least(a.data(), n)),
            static_cast<std::size_t>(std::ranges::min_element(a) - a.begin()))
      << n << ' ' << place;
}

#endif

}  // namespace weft::test
