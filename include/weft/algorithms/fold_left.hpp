// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One value from all elements, from the left, exactly as a loop would do it.
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/reduce.hpp"

namespace weft {

/// Whether `op(op(a, b), c)` is exactly `op(a, op(b, c))` for values of `T`. Specialise it as true
/// for an operation of your own, and `fold_left` runs in parallel with it.
template <class Op, class T>
inline constexpr bool is_associative =
    std::integral<T> && (algorithms::detail::kernels::is_plus<Op, T> ||
                         algorithms::detail::kernels::is_multiplies<Op, T> ||
                         std::same_as<Op, std::bit_and<>> || std::same_as<Op, std::bit_and<T>> ||
                         std::same_as<Op, std::bit_or<>> || std::same_as<Op, std::bit_or<T>> ||
                         std::same_as<Op, std::bit_xor<>> || std::same_as<Op, std::bit_xor<T>>);

namespace algorithms::detail {

struct fold_left_call {
  template <class How, class It, class T, class Op>
  [[gnu::always_inline]] static T run(const How& how, It first, It last, T init, Op op) {
    if constexpr (is_associative<Op, T> && std::same_as<std::iter_value_t<It>, T>) {
      return reduce_call::run(how, first, last, std::move(init), std::move(op));
    } else {
      for (; first != last; ++first) {
        init = static_cast<T>(op(std::move(init), *first));
      }
      return init;
    }
  }
};

}  // namespace algorithms::detail

/// `op(... op(op(init, x0), x1) ..., xn)`: the result of a loop, to the last bit.
///
/// Others help only where that cannot change it: the elements are of type `T` and
/// `is_associative<Op, T>`. `reduce` is for operations that may be regrouped.
/// Cost:    n applications of `op`; no allocation unless others help.
/// Threads: as `reduce` if others help; else the caller, or the task of a future, calls `op`.
/// Errors:  the first exception that `op` throws.
/// Example: tests/algorithms/reduce_test.cpp: a_fold_is_what_a_loop_gives.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          class T,
          algorithms::detail::operation_on<T, It> Op>
[[gnu::always_inline]] inline algorithm_result_t<Policy, T> fold_left(
    Policy&& policy, It first, It last, T init, Op op) {
  return algorithms::detail::launch<algorithms::detail::fold_left_call>(
      policy, first, last, std::move(init), std::move(op));
}

}  // namespace weft
