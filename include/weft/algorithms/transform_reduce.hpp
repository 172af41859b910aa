// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One value from what a function makes of the elements of one range or of two.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/detail/reducing/reduction.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

namespace algorithms::detail {

struct transform_reduce_call {
  template <class How, class It, class T, class Op, class F>
  // NOLINTNEXTLINE(readability-function-size): the standard's parameters
  [[gnu::always_inline]] static T run(const How& how, It first, It last, T init, Op op, F f) {
    if constexpr (indexed_iterator<It>) {
      auto operand = [first, &f](std::size_t i) -> decltype(auto) {
        return f(element_at(first, i));
      };
      return reduce_operands<T>(how,
                                {.n = size_between(first, last), .bytes_per_element = bytes_of<It>},
                                std::move(init),
                                combination{op, operand},
                                [&op, &operand](std::size_t begin, std::size_t end) {
                                  return fold_operands<How, T>(begin, end, op, operand);
                                });
    } else if constexpr (is_walked<How, It> || How::is_deterministic) {
      return reduce_any_walk(how,
                             detail::walk(first, last),
                             std::move(init),
                             op,
                             [&f](const It& it) -> decltype(auto) { return f(*it); });
    } else {
      for (; first != last; ++first) {
        init = static_cast<T>(op(std::move(init), f(*first)));
      }
      return init;
    }
  }
};

template <class How, class It1, class It2, class T, class Op, class F>
inline constexpr bool has_dot_kernel =
    !How::is_deterministic && kernels::has_order_kernels<It1> && kernels::has_order_kernels<It2> &&
    std::is_floating_point_v<T> && std::is_same_v<std::iter_value_t<It1>, T> &&
    std::is_same_v<std::iter_value_t<It2>, T> && kernels::is_plus<Op, T> &&
    kernels::is_multiplies<F, T>;

struct transform_reduce_pairs_call {
  template <class How, class It1, class It2, class T, class Op, class F>
  // NOLINTNEXTLINE(readability-function-size): the standard's parameters
  [[gnu::always_inline]] static T run(
      const How& how, It1 first1, It1 last1, It2 first2, T init, Op op, F f) {
    if constexpr (indexed_iterator<It1> && indexed_iterator<It2>) {
      auto operand = [first1, first2, &f](std::size_t i) -> decltype(auto) {
        return f(element_at(first1, i), element_at(first2, i));
      };
      return reduce_operands<T>(
          how,
          {.n = size_between(first1, last1), .bytes_per_element = bytes_of<It1, It2>},
          std::move(init),
          combination{op, operand},
          [=, &op, &operand](std::size_t begin, std::size_t end) {
            if constexpr (has_dot_kernel<How, It1, It2, T, Op, F>) {
              if (end - begin >= kernels::least_elements) {
                return kernels::dot(kernels::data_of<T>(first1) + begin,
                                    kernels::data_of<T>(first2) + begin,
                                    end - begin);
              }
            }
            return fold_operands<How, T>(begin, end, op, operand);
          });
    } else if constexpr (is_walked<How, It1, It2> || How::is_deterministic) {
      return reduce_any_walk(
          how,
          detail::walk(first1, last1, first2),
          std::move(init),
          op,
          [&f](const It1& a, const It2& b) -> decltype(auto) { return f(*a, *b); });
    } else {
      for (; first1 != last1; ++first1, static_cast<void>(++first2)) {
        init = static_cast<T>(op(std::move(init), f(*first1, *first2)));
      }
      return init;
    }
  }
};

}  // namespace algorithms::detail

/// Combines `init` and `f(element)` for all elements of [first, last) by `op`, grouped in any way.
///
/// Shape:   `op` takes values of `T` and results of `f`, in any mixture. See `reduce`.
/// Cost:    n applications of `op` and of `f`; nothing is stored between them.
/// Threads: with a parallel policy `op` and `f` are called from several at once.
/// Errors:  the first exception that one of them throws.
/// Example: tests/algorithms/reduce_test.cpp: transformed_sums_agree_with_the_standard.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          class T,
          class Op,
          algorithms::detail::callable_for<Policy, It> F>
  requires algorithms::detail::operation_on_results_for<Op, Policy, T, F, It>
// NOLINTNEXTLINE(readability-function-size): the standard's parameters
[[gnu::always_inline]] inline algorithm_result_t<Policy, T> transform_reduce(
    Policy&& policy, It first, It last, T init, Op op, F f) {
  return algorithms::detail::launch<algorithms::detail::transform_reduce_call>(
      policy, first, last, std::move(init), std::move(op), std::move(f));
}

/// Combines `init` and `f(a, b)` for all pairs of elements of two ranges by `op`.
///
/// Example: tests/algorithms/reduce_test.cpp: transformed_sums_agree_with_the_standard.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          class T,
          class Op,
          algorithms::detail::callable_for<Policy, It1, It2> F>
  requires algorithms::detail::operation_on_results_for<Op, Policy, T, F, It1, It2>
// NOLINTNEXTLINE(readability-function-size): the standard's parameters
[[gnu::always_inline]] inline algorithm_result_t<Policy, T> transform_reduce(
    Policy&& policy, It1 first1, It1 last1, It2 first2, T init, Op op, F f) {
  return algorithms::detail::launch<algorithms::detail::transform_reduce_pairs_call>(
      policy, first1, last1, first2, std::move(init), std::move(op), std::move(f));
}

/// The sum of `init` and the products of all pairs of elements of two ranges.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          class T>
  requires algorithms::detail::
      operation_on_results_for<std::plus<>, Policy, T, std::multiplies<>, It1, It2>
    [[gnu::always_inline]] inline algorithm_result_t<Policy, T> transform_reduce(
        Policy&& policy, It1 first1, It1 last1, It2 first2, T init) {
  return weft::transform_reduce(
      policy, first1, last1, first2, std::move(init), std::plus<>{}, std::multiplies<>{});
}

}  // namespace weft
