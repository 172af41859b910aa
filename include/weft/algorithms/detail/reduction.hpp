// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One value from operands that are numbered: in order, and with several chains of additions where
// the result may be regrouped.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/engine.hpp"
#include "weft/algorithms/detail/number_kernels.hpp"

namespace weft::algorithms::detail {

/// Values that are kept in several registers at a time.
template <class T>
inline constexpr bool is_small_value = std::is_trivially_copyable_v<T> && sizeof(T) <= 16;

/// `op` of the operands [first, last), at least two, in their order.
template <class T, class Op, class Operand>
[[nodiscard]] T fold_in_order(std::size_t first, std::size_t last, Op& op, Operand& operand) {
  T total = static_cast<T>(op(operand(first), operand(first + 1)));
  for (std::size_t i = first + 2; i < last; ++i) {
    total = static_cast<T>(op(std::move(total), operand(i)));
  }
  return total;
}

/// The same by four chains over neighbouring quarters of a block, which hides the latency of `op`
/// and needs no commutativity.
template <class T, class Op, class Operand>
[[nodiscard]] T fold_quarters(std::size_t first, std::size_t last, Op& op, Operand& operand) {
  const std::size_t quarter = (last - first) / 4;
  const std::size_t second = first + quarter;
  const std::size_t third = second + quarter;
  const std::size_t fourth = third + quarter;
  T a = static_cast<T>(op(operand(first), operand(first + 1)));
  T b = static_cast<T>(op(operand(second), operand(second + 1)));
  T c = static_cast<T>(op(operand(third), operand(third + 1)));
  T d = static_cast<T>(op(operand(fourth), operand(fourth + 1)));
  for (std::size_t i = 2; i < quarter; ++i) {
    a = static_cast<T>(op(a, operand(first + i)));
    b = static_cast<T>(op(b, operand(second + i)));
    c = static_cast<T>(op(c, operand(third + i)));
    d = static_cast<T>(op(d, operand(fourth + i)));
  }
  for (std::size_t i = fourth + quarter; i < last; ++i) {
    d = static_cast<T>(op(d, operand(i)));
  }
  return static_cast<T>(op(static_cast<T>(op(a, b)), static_cast<T>(op(c, d))));
}

/// The same for sums of numbers, which commute: neighbours go to different chains, as vector
/// instructions want it.
template <class T, class Op, class Operand>
[[nodiscard]] T fold_lanes(std::size_t first, std::size_t last, Op& op, Operand& operand) {
  constexpr std::size_t lanes = 16;
  std::array<T, lanes> sums;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    sums[lane] = static_cast<T>(op(operand(first + lane), operand(first + lanes + lane)));
  }
  std::size_t i = first + 2 * lanes;
  for (; last - i >= lanes; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane] = static_cast<T>(op(sums[lane], operand(i + lane)));
    }
  }
  for (std::size_t half = lanes / 2; half != 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) {
      sums[lane] = static_cast<T>(op(sums[lane], sums[lane + half]));
    }
  }
  for (; i < last; ++i) {
    sums[0] = static_cast<T>(op(sums[0], operand(i)));
  }
  return sums[0];
}

/// The same by whichever of them is fastest.
template <class T, class Op, class Operand>
[[nodiscard]] T fold_operands(std::size_t first, std::size_t last, Op& op, Operand& operand) {
  constexpr std::size_t least = 64;
  constexpr std::size_t block = 1024;
  if constexpr (std::is_arithmetic_v<T> && kernels::is_plus<Op, T>) {
    return last - first < least ? fold_in_order<T>(first, last, op, operand)
                                : fold_lanes<T>(first, last, op, operand);
  } else if constexpr (is_small_value<T> && std::is_invocable_v<Op&, T&, T>) {
    if (last - first < least) {
      return fold_in_order<T>(first, last, op, operand);
    }
    // The last block takes what would be too little for one of its own.
    const auto border = [last](std::size_t from) {
      return last - from < 2 * block ? last : from + block;
    };
    std::size_t to = border(first);
    T total = fold_quarters<T>(first, to, op, operand);
    while (to != last) {
      const std::size_t from = to;
      to = border(from);
      total = static_cast<T>(op(total, fold_quarters<T>(from, to, op, operand)));
    }
    return total;
  } else {
    return fold_in_order<T>(first, last, op, operand);
  }
}

/// `init op operand(0) op ... op operand(n - 1)`, regrouped but in order: `fold(first, last)` is
/// asked for even numbers of operands alone, so that no operand need be convertible to `T`.
template <class T, class How, class Op, class Operand, class Fold>
[[gnu::always_inline]] inline T reduce_operands(
    const How& how, loop_shape shape, T&& init, Op& op, Operand& operand, Fold fold) {
  static constinit cost_record costs;
  const std::size_t n = shape.n;
  shape.n = n - n % 2;
  shape.multiple_of = 2;
  const auto combine = [&op](auto&& a, auto&& b) {
    return static_cast<T>(op(std::forward<decltype(a)>(a), std::forward<decltype(b)>(b)));
  };
  if (shape.n == 0) {
    return n == 0 ? std::move(init) : combine(std::move(init), operand(0));
  }
  T total = combine(std::move(init), reduce_chunks<T>(how, shape, costs, fold, combine));
  return n == shape.n ? std::move(total) : combine(std::move(total), operand(n - 1));
}

}  // namespace weft::algorithms::detail
