// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers compared and chosen by their bits, without branches.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "weft/algorithms/detail/vector_sort.hpp"

namespace weft::algorithms::detail {

/// Unsigned numbers as wide as the floating-point type T.
template <class T>
using bits_of = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// `is_second ? y : x` without a branch.
template <class T>
[[gnu::always_inline]] inline T chosen_of(bool is_second, const T& x, const T& y) {
  if constexpr (std::is_integral_v<T>) {
    return is_second ? y : x;
  } else if constexpr (kind_of<T>() != key_kind::none) {  // numbers that no conditional move takes
    return std::bit_cast<T>(is_second ? std::bit_cast<bits_of<T>>(y)
                                      : std::bit_cast<bits_of<T>>(x));
  } else {
    return *(is_second ? &y : &x);
  }
}

/// Floating-point numbers that all have the same sign, by their bits: known sooner than what a
/// comparison of them says.
template <class Compare>
struct compare_bits {
  using of_bits = Compare;

  template <class T>
  bool operator()(const T& x, const T& y) const {
    return Compare()(std::bit_cast<bits_of<T>>(x), std::bit_cast<bits_of<T>>(y));
  }
};

}  // namespace weft::algorithms::detail
