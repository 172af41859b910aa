// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One value from operands that are numbered: in order, and with several chains of additions where
// the result may be regrouped.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/loops/wide.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft::algorithms::detail {

/// Values that are kept in several registers at a time.
template <class T>
inline constexpr bool is_small_value = std::is_trivially_copyable_v<T> && sizeof(T) <= 16;

/// Sums of numbers whose operands are numbers that convert to the sum's type one by one, where the
/// grouping may depend on the machine.
template <class How, class T, class Operand>
inline constexpr bool is_in_rows = !How::is_deterministic && kernels::ordered<T> && requires {
  requires std::
      same_as<std::common_type_t<T, std::decay_t<std::invoke_result_t<Operand&, std::size_t>>>, T>;
};

/// `op` of the operands [first, last), at least two, in their order.
template <class T, class Op, class Operand>
[[nodiscard]] T fold_in_order(std::size_t first, std::size_t last, Op& op, Operand& operand) {
  T total = static_cast<T>(op(operand(first), operand(first + 1)));
  for (std::size_t i = first + 2; i < last; ++i) {
    total = static_cast<T>(op(std::move(total), operand(i)));
  }
  return total;
}

/// The same with eight neighbours joined among themselves first: one application in eight waits for
/// the one before, and nothing need commute.
template <class T, class Op, class Operand>
[[nodiscard]] T fold_eights(std::size_t first, std::size_t last, Op& op, Operand& operand) {
  const auto pair = [&op, &operand](std::size_t i) {
    return static_cast<T>(op(operand(i), operand(i + 1)));
  };
  const auto both = [&op](const T& a, const T& b) { return static_cast<T>(op(a, b)); };
  const auto eight = [&pair, &both](std::size_t i) {
    return both(both(pair(i), pair(i + 2)), both(pair(i + 4), pair(i + 6)));
  };
  T total = eight(first);
  for (first += 8; last - first >= 8; first += 8) {
    total = both(total, eight(first));
  }
  for (; first != last; ++first) {
    total = static_cast<T>(op(total, operand(first)));
  }
  return total;
}

/// The same for sums of numbers, which commute: neighbours go to different chains, as vector
/// instructions want it.
template <std::size_t lanes, class T, class Op, class Operand>
[[nodiscard]] T fold_lanes(std::size_t first, std::size_t last, Op& op, Operand& operand) {
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

/// Elements of a row of sums: several vectors of any width.
template <class T>
inline constexpr std::size_t row_length = 256 / sizeof(T);
/// From how many elements on that pays.
inline constexpr std::size_t least_rows = 8;

/// The same for sums of numbers that are computed, in the widest vectors of the machine.
template <class T, class Operand>
[[nodiscard]] T fold_rows(std::size_t first, std::size_t last, Operand& operand) {
  using number = kernels::equality_number<T>;  // whole numbers wrap around
  constexpr std::size_t length = row_length<T>;
  auto total = static_cast<number>(kernels::nothing_to_add<T>);
  run_vectorized([&total, &first, last, operand]() __attribute__((always_inline)) {
    alignas(64) std::array<number, length> sums;
    sums.fill(total);
    std::size_t at = first;
    for (; last - at >= length; at += length) {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::size_t i = 0; i < length; ++i) {
        sums[i] =
            static_cast<number>(sums[i] + static_cast<number>(static_cast<T>(operand(at + i))));
      }
    }
    for (std::size_t half = length / 2; half != 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) {
        sums[i] = static_cast<number>(sums[i] + sums[i + half]);
      }
    }
    first = at;
    total = sums[0];
  });
  for (; first != last; ++first) {
    total = static_cast<number>(total + static_cast<number>(static_cast<T>(operand(first))));
  }
  return static_cast<T>(total);
}

/// The same by whichever of them is fastest.
template <class How, class T, class Op, class Operand>
[[nodiscard]] T fold_operands(std::size_t first, std::size_t last, Op& op, Operand& operand) {
  constexpr std::size_t least = 64;
  constexpr bool is_sum = std::is_arithmetic_v<T> && kernels::is_plus<Op, T>;
  if constexpr (is_sum && is_in_rows<How, T, Operand>) {
    if (last - first >= least_rows * row_length<T>) {
      return fold_rows<T>(first, last, operand);
    }
  }
  if constexpr (is_sum) {
    constexpr std::size_t many_lanes = 16;
    constexpr std::size_t few_lanes = 4;
    if (last - first >= least) {
      return fold_lanes<many_lanes, T>(first, last, op, operand);
    }
    if (last - first >= 2 * few_lanes) {
      return fold_lanes<few_lanes, T>(first, last, op, operand);
    }
  } else if (last - first >= least) {
    if constexpr (is_small_value<T> && std::is_invocable_v<Op&, const T&, const T&>) {
      return fold_eights<T>(first, last, op, operand);
    }
  }
  return fold_in_order<T>(first, last, op, operand);
}

/// The combined values, and the operation.
template <class Op, class Operand>
struct combination {
  Op& op;
  Operand& operand;
};

/// `init op operand(0) op ... op operand(n - 1)`, regrouped but in order: `fold(first, last)` is
/// asked for even numbers of operands alone, so that no operand need be convertible to `T`.
template <class T, class How, class Op, class Operand, class Fold>
[[gnu::always_inline]] inline T reduce_operands(
    const How& how, loop_shape shape, T&& init, combination<Op, Operand> of, Fold fold) {
  static constinit cost_record costs;
  const std::size_t n = shape.n;
  shape.n = n - n % 2;
  shape.multiple_of = 2;
  const auto combine = [of](auto&& a, auto&& b) {
    return static_cast<T>(of.op(std::forward<decltype(a)>(a), std::forward<decltype(b)>(b)));
  };
  if (shape.n == 0) {
    return n == 0 ? std::forward<T>(init) : combine(std::forward<T>(init), of.operand(0));
  }
  T total = combine(std::forward<T>(init), reduce_chunks<T>(how, shape, costs, fold, combine));
  return n == shape.n ? std::move(total) : combine(std::move(total), of.operand(n - 1));
}

}  // namespace weft::algorithms::detail
