// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One value from all elements of a range, regrouped; optionally in a way that does not depend on
// the workers.
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

/// Whether a compiled kernel adds the elements: not where every bit has to be the same on machines
/// with vectors of other widths.
template <class How, class It, class T, class Op>
inline constexpr bool has_sum_kernel =
    !How::is_deterministic && kernels::has_order_kernels<It> &&
    std::is_same_v<std::iter_value_t<It>, T> && kernels::is_plus<Op, T>;

struct reduce_call {
  template <class How, class It, class T, class Op>
  [[gnu::always_inline]] static T run(const How& how, It first, It last, T init, Op op) {
    if constexpr (indexed_iterator<It>) {
      auto operand = [first](std::size_t i) -> decltype(auto) { return element_at(first, i); };
      return reduce_operands<T>(how,
                                {.n = size_between(first, last), .bytes_per_element = bytes_of<It>},
                                std::move(init),
                                combination{op, operand},
                                [first, &op, &operand](std::size_t begin, std::size_t end) {
                                  return fold<How, T>(first, begin, end, op, operand);
                                });
    } else if constexpr (is_walked<How, It> || How::is_deterministic) {
      return reduce_any_walk(
          how, detail::walk(first, last), std::move(init), op, [](const It& it) -> decltype(auto) {
            return *it;
          });
    } else {
      for (; first != last; ++first) {
        init = static_cast<T>(op(std::move(init), *first));
      }
      return init;
    }
  }

 private:
  template <class How, class T, class It, class Op, class Operand>
  [[nodiscard]] static T fold(
      It first, std::size_t begin, std::size_t end, Op& op, Operand& operand) {
    if constexpr (has_sum_kernel<How, It, T, Op>) {
      if (end - begin >= kernels::least_elements) {
        const auto* const data = kernels::data_of<kernels::equality_number<T>>(first);
        return static_cast<T>(kernels::sum(data + begin, end - begin));
      }
    }
    return fold_operands<How, T>(begin, end, op, operand);
  }
};

/// `policy` with the property `deterministic`.
template <class Policy>
[[nodiscard]] constexpr auto as_deterministic(const Policy& policy) {
  return policy_traits<Policy>::resolve(policy).with(deterministic);
}

}  // namespace algorithms::detail

/// Combines `init` and all elements of [first, last) by `op`, grouped in any way.
///
/// Elements keep their order, so that `op` need be associative only; sums of built-in numbers are
/// regrouped freely. `policy.with(deterministic)` groups them in a way that depends on n alone.
/// Shape:   `op` takes values of `T` and elements, in any mixture, and gives what converts to `T`.
/// Cost:    n applications of `op`, each element is read once; allocates a value per chunk only
///          where others help.
/// Threads: with a parallel policy `op` is called from several at once.
/// Errors:  the first exception that `op` throws.
/// Example: tests/algorithms/reduce_test.cpp: sums_agree_with_the_standard.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          class T,
          algorithms::detail::operation_for<Policy, T, It> Op>
[[gnu::always_inline]] inline algorithm_result_t<Policy, T> reduce(
    Policy&& policy, It first, It last, T init, Op op) {
  return algorithms::detail::launch<algorithms::detail::reduce_call>(
      policy, first, last, std::move(init), std::move(op));
}

/// The sum of `init` and all elements.
template <execution_policy Policy, algorithms::detail::multipass_iterator It, class T>
  requires algorithms::detail::regroups_on<std::plus<>, T, It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, T> reduce(Policy&& policy,
                                                                   It first,
                                                                   It last,
                                                                   T init) {
  return weft::reduce(policy, first, last, std::move(init), std::plus<>{});
}

/// The sum of all elements.
template <execution_policy Policy, algorithms::detail::multipass_iterator It>
  requires algorithms::detail::regroups_on<std::plus<>, std::iter_value_t<It>, It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, std::iter_value_t<It>> reduce(
    Policy&& policy, It first, It last) {
  return weft::reduce(policy, first, last, std::iter_value_t<It>{}, std::plus<>{});
}

/// As `reduce`, bitwise the same for any number of workers and any policy.
///
/// Cost:    as `reduce`; where others help with a list, memory also for sums that wait for those in
///          front of them. Without it the caller sums what is left, and some elements again.
/// Errors:  as `reduce`.
/// Example: tests/algorithms/reduce_test.cpp: a_deterministic_sum_has_the_same_bits.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          class T,
          algorithms::detail::regroups_on<T, It> Op = std::plus<>>
[[gnu::always_inline]] inline algorithm_result_t<Policy, T> reduce_deterministic(
    Policy&& policy, It first, It last, T init, Op op = {}) {
  return weft::reduce(
      algorithms::detail::as_deterministic(policy), first, last, std::move(init), std::move(op));
}

/// The sum of all elements, bitwise the same for any number of workers and any policy.
template <execution_policy Policy, algorithms::detail::multipass_iterator It>
  requires algorithms::detail::regroups_on<std::plus<>, std::iter_value_t<It>, It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, std::iter_value_t<It>>
reduce_deterministic(Policy&& policy, It first, It last) {
  return weft::reduce_deterministic(policy, first, last, std::iter_value_t<It>{});
}

}  // namespace weft
