// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether two ranges hold the same elements.
#pragma once

#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/mismatch.hpp"

namespace weft {

namespace algorithms::detail {

struct equal_call {
  template <class How, class It1, class It2, class Predicate>
  [[gnu::always_inline]] static bool run(
      const How& how, It1 first1, It1 last1, It2 first2, Predicate&& match) {
    return mismatch_call::run(how, first1, last1, first2, match).first == last1;
  }
};

struct bounded_equal_call {
  template <class How, class It1, class It2, class Predicate>
  // NOLINTNEXTLINE(readability-function-size): the standard's parameters
  [[gnu::always_inline]] static bool run(
      const How& how, It1 first1, It1 last1, It2 first2, It2 last2, Predicate&& match) {
    if constexpr (indexed_iterator<It1> && indexed_iterator<It2>) {
      return size_between(first1, last1) == size_between(first2, last2) &&
             mismatch_call::run(how, first1, last1, first2, match).first == last1;
    } else {
      const auto ends = bounded_mismatch_call::run(how, first1, last1, first2, last2, match);
      return ends.first == last1 && ends.second == last2;
    }
  }
};

}  // namespace algorithms::detail

/// Whether `match(a, b)` for all pairs of elements of the two ranges.
///
/// Cost, threads, errors, shape: see `mismatch`.
/// Example: tests/algorithms/compare_test.cpp: the_first_difference_is_found.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          algorithms::detail::predicate_on<It1, It2> Predicate>
  requires(!std::is_same_v<It2, Predicate>)
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> equal(
    Policy&& policy, It1 first1, It1 last1, It2 first2, Predicate match) {
  return algorithms::detail::launch<algorithms::detail::equal_call>(
      policy, first1, last1, first2, std::move(match));
}

/// Whether the elements from `first2` on equal those of [first1, last1).
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2>
  requires algorithms::detail::predicate_on<std::equal_to<>, It1, It2>
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> equal(Policy&& policy,
                                                                     It1 first1,
                                                                     It1 last1,
                                                                     It2 first2) {
  return weft::equal(policy, first1, last1, first2, std::equal_to<>{});
}

/// Whether the ranges have one size and `match(a, b)` for all pairs of elements.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          algorithms::detail::predicate_on<It1, It2> Predicate>
// NOLINTNEXTLINE(readability-function-size): the standard's parameters
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> equal(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2, Predicate match) {
  return algorithms::detail::launch<algorithms::detail::bounded_equal_call>(
      policy, first1, last1, first2, last2, std::move(match));
}

/// Whether the ranges have one size and equal elements.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2>
  requires algorithms::detail::predicate_on<std::equal_to<>, It1, It2>
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> equal(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2) {
  return weft::equal(policy, first1, last1, first2, last2, std::equal_to<>{});
}

}  // namespace weft
