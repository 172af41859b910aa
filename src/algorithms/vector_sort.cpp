// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts numbers by Highway's vectorised quicksort, or by the standard library in builds without
// Highway.
#include "weft/algorithms/detail/kernels/vector_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

#include "algorithms/kernel_choice.hpp"
#include "algorithms/key_kinds.hpp"

#if defined(WEFT_HAS_HIGHWAY)
// Of Highway's own kernels, this file compiles only those for AVX2, once for every pass of
// foreach_target.hpp.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (~(HWY_AVX2 | HWY_SCALAR | HWY_EMU128))  // NOLINT: Highway's own name
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/vector_sort.cpp"  // NOLINT: Highway's own name
#include <hwy/detect_targets.h>
#if HWY_ARCH_X86 && !defined(HWY_AVX3_ZEN4)  // NOLINT: by that header
#define WEFT_SORTS_BY_AVX2 1
#include <hwy/foreach_target.h>
//
#include <hwy/contrib/sort/traits-inl.h>
#include <hwy/contrib/sort/vqsort-inl.h>
#include <hwy/highway.h>

#if HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace weft::algorithms::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void sort_keys(T* keys, std::size_t n, key_order order) {
  const hn::SortTag<T> d;
  T* const no_buffer = nullptr;  // needed for targets whose vector size is unknown
  if (order == key_order::ascending) {
    const hn::detail::SharedTraits<hn::detail::TraitsLane<hn::detail::OrderAscending<T>>> traits;
    hn::Sort(d, traits, keys, n, no_buffer);
  } else {
    const hn::detail::SharedTraits<hn::detail::TraitsLane<hn::detail::OrderDescending<T>>> traits;
    hn::Sort(d, traits, keys, n, no_buffer);
  }
}

}  // namespace
}  // namespace weft::algorithms::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
#endif

#if !defined(WEFT_SORTS_BY_AVX2) || HWY_ONCE
#include <hwy/contrib/sort/vqsort.h>

namespace weft::algorithms::detail {
namespace {

#if defined(WEFT_SORTS_BY_AVX2)
/// Whether AVX-512 sorts 32-bit keys several times more slowly than AVX2: the instruction that
/// writes compressed vectors to memory is slow on AMD's processors. Versions of Highway with the
/// target AVX3_ZEN4 avoid that instruction.
[[nodiscard]] bool is_avx512_slow() noexcept {
  // Cached: Highway would ask the processor each time, which takes 14 us in a virtual machine,
  //         where `cpuid` traps.
  return __builtin_cpu_is("amd") != 0 && kernel_to_use() == compress_kernel::avx512;
}
#endif

template <class T>
void sort_keys(T* keys, std::size_t n, key_order order) {
#if defined(WEFT_SORTS_BY_AVX2)
  if constexpr (sizeof(T) == 4) {
    if (is_avx512_slow()) {
      N_AVX2::sort_keys(keys, n, order);
      return;
    }
  }
#endif
  const hwy::Sorter sorter;
  if (order == key_order::ascending) {
    sorter(keys, n, hwy::SortAscending());
  } else {
    sorter(keys, n, hwy::SortDescending());
  }
}

}  // namespace
}  // namespace weft::algorithms::detail
#endif

#else
namespace weft::algorithms::detail {
namespace {

template <class T>
void sort_keys(T* keys, std::size_t n, key_order order) {
  if (order == key_order::ascending) {
    std::sort(keys, keys + n);
  } else {
    std::sort(keys, keys + n, std::greater<>());
  }
}

}  // namespace
}  // namespace weft::algorithms::detail
#endif

#if !defined(HWY_ONCE) || HWY_ONCE
namespace weft::algorithms::detail {
namespace {

template <class Real>
using bits_of = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

/// Which keys Highway cannot sort.
struct special_keys {
  bool are_finite;  ///< no infinity and no NaN
  bool has_minus_zero;
};

template <class Real>
[[nodiscard]] special_keys special_keys_of(const Real* keys, std::size_t n) noexcept {
  using bits = bits_of<Real>;
  constexpr std::size_t lanes = 16;  // sums that do not wait for each other
  std::array<Real, lanes> zeros{};
  std::array<bits, lanes> signs{};
  const auto add = [&](std::size_t lane, Real key) {
    zeros[lane] += key * 0;  // or NaN
    const auto of_key = std::bit_cast<bits>(key);
    signs[lane] |= of_key & ~(of_key - 1);  // the lowest set bit: of -0.0 alone it is the sign
  };
  std::size_t done = 0;
  for (; n - done >= lanes; done += lanes) {
    for (std::size_t i = 0; i < lanes; ++i) {
      add(i, keys[done + i]);
    }
  }
  for (std::size_t i = 0; done + i < n; ++i) {
    add(i, keys[done + i]);
  }
  constexpr auto sign = std::bit_cast<bits>(Real{-0.0});
  return {.are_finite = std::ranges::all_of(zeros, [](Real x) { return x == 0; }),
          .has_minus_zero = std::ranges::any_of(signs, [](bits x) { return (x & sign) != 0; })};
}

/// Writes 0.0 in place of every -0.0 and returns how many there were.
template <class Real>
[[nodiscard]] std::size_t take_minus_zeros(Real* keys, std::size_t n) noexcept {
  const auto is_minus_zero = [](Real x) { return x == 0 && std::signbit(x); };
  const auto count = std::count_if(keys, keys + n, is_minus_zero);
  std::replace_if(keys, keys + n, is_minus_zero, Real{0});
  return static_cast<std::size_t>(count);
}

/// Writes -0.0 in place of `count` zeros of sorted keys.
template <class Real>
void give_minus_zeros(Real* keys, std::size_t n, std::size_t count, key_order order) noexcept {
  const auto zeros = order == key_order::ascending
                         ? std::equal_range(keys, keys + n, Real{0})
                         : std::equal_range(keys, keys + n, Real{0}, std::greater<>());
  const auto room = static_cast<std::size_t>(zeros.second - zeros.first);
  std::fill_n(zeros.first, std::min(count, room), Real{-0.0});  // there is less room only with NaN
}

/// Sorts the finite numbers by Highway, which takes the greatest finite number for the last one of
/// all. Highway would write that number in place of infinity. Given both zeros, Highway would write
/// one in place of the other, and its assertions would fail.
template <std::floating_point Real>
void sort_keys_of(Real* keys, std::size_t n, key_order order) {
  const special_keys special = special_keys_of(keys, n);
  const std::size_t num_minus_zeros = special.has_minus_zero ? take_minus_zeros(keys, n) : 0;
  Real* first = keys;
  Real* last = keys + n;
  if (!special.are_finite) {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    const Real least = order == key_order::ascending ? -infinity : infinity;
    first = std::partition(first, last, [least](Real x) { return x == least; });
    last = std::partition(first, last, [least](Real x) { return x != -least; });
  }
  if (first != last) {
    sort_keys(first, static_cast<std::size_t>(last - first), order);
  }
  if (num_minus_zeros != 0) {
    give_minus_zeros(keys, n, num_minus_zeros, order);
  }
}

template <std::integral Number>
void sort_keys_of(Number* keys, std::size_t n, key_order order) {
  sort_keys(keys, n, order);
}

}  // namespace

void vector_sort(void* keys, std::size_t n, key_kind kind, key_order order) noexcept {
  with_key_type(kind, [=]<class Key>() { sort_keys_of(static_cast<Key*>(keys), n, order); });
}

}  // namespace weft::algorithms::detail
#endif
