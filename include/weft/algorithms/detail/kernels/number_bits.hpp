// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers compared and chosen by their bits, without branches.
#pragma once

#include <bit>
#include <cstring>
#include <memory>
#include <type_traits>

#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/kernels/vector_sort.hpp"

namespace weft::algorithms::detail {

/// Unsigned numbers as wide as the floating-point type T.
template <class T>
using bits_of = typename kernels::integer_of<sizeof(T), false>::type;

/// `is_second ? y : x` without a branch.
template <class T>
[[gnu::always_inline]] inline T chosen_of(bool is_second, const T& x, const T& y) {
  if constexpr (std::is_integral_v<T>) {
    return is_second ? y : x;
  } else if constexpr (kind_of<T>() != key_kind::none) {  // numbers that no conditional move takes
    return std::bit_cast<T>(is_second ? std::bit_cast<bits_of<T>>(y)
                                      : std::bit_cast<bits_of<T>>(x));
  } else {
    return *(is_second ? std::addressof(y) : std::addressof(x));
  }
}

/// `to = from`; numbers by their bits, so that what compares those need not take them from a
/// register of floating-point numbers.
template <class T>
[[gnu::always_inline]] inline void assign_bits(T& to, const T& from) {
  if constexpr (kind_of<T>() != key_kind::none) {
    std::memcpy(std::addressof(to), std::addressof(from), sizeof(T));
  } else {
    to = from;
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
