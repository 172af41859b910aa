// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exact sums 1 + 2 + ... + n, and the allowed error in floating point.
#pragma once

#include <cstddef>
#include <limits>

namespace weft::lab::stl {

/// Sum of the first `size` counting numbers; exact for `size < 2^32`, as long double is on x86-64.
inline long double counting_sum(std::size_t size) {
  const auto n = static_cast<long double>(size);
  return size % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n;
}

/// Largest error of a sum of the first `size` counting numbers added as T in any order.
///
/// While the sum fits the significand, T represents every partial sum exactly and the error is 0
/// (for double up to size 2^26). Beyond, `(size - 1) u sum / (1 - (size - 1) u)`.
/// Source: Higham, "The Accuracy of Floating Point Summation", SIAM J. Sci. Comput. 14(4), 1993.
template <class T>
long double counting_sum_tolerance(std::size_t size) {
  const long double sum = counting_sum(size);
  const long double exact_limit = 1.0L / std::numeric_limits<T>::epsilon() * 2.0L;
  if (sum <= exact_limit) {
    return 0.0L;
  }
  const long double growth = static_cast<long double>(size - 1) *
                             (static_cast<long double>(std::numeric_limits<T>::epsilon()) / 2.0L);
  return growth / (1.0L - growth) * sum;
}

}  // namespace weft::lab::stl
