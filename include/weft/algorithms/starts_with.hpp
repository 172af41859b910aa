// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a range begins, or ends, with another.
#pragma once

#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/equal.hpp"
#include "weft/algorithms/mismatch.hpp"

namespace weft {

namespace algorithms::detail {

struct starts_with_call {
  template <class How, class It1, class It2, class Predicate>
  // NOLINTNEXTLINE(readability-function-size): the parameters of mismatch
  [[gnu::always_inline]] static bool run(
      const How& how, It1 first1, It1 last1, It2 first2, It2 last2, Predicate&& match) {
    return bounded_mismatch_call::run(how, first1, last1, first2, last2, match).second == last2;
  }
};

struct ends_with_call {
  template <class How, class It1, class It2, class Predicate>
  // NOLINTNEXTLINE(readability-function-size): the parameters of mismatch
  [[gnu::always_inline]] static bool run(
      const How& how, It1 first1, It1 last1, It2 first2, It2 last2, Predicate&& match) {
    const auto size1 = std::distance(first1, last1);
    const auto size2 = std::distance(first2, last2);
    if (size2 > size1) {
      return false;
    }
    const It1 tail = std::next(first1, static_cast<std::iter_difference_t<It1>>(size1 - size2));
    if constexpr (has_pair_kernel<It1, It2, std::remove_cvref_t<Predicate>>()) {
      return equal_call::run(how, tail, last1, first2, match);
    } else {
      return equal_call::run(how, first2, last2, tail, swapped<Predicate>{match});
    }
  }

 private:
  template <class Predicate>
  struct swapped {
    std::remove_reference_t<Predicate>& match;
    template <class A, class B>
    constexpr decltype(auto) operator()(A&& a, B&& b) const {
      return match(std::forward<B>(b), std::forward<A>(a));
    }
  };
};

}  // namespace algorithms::detail

/// Whether [first1, last1) begins with the elements of [first2, last2), by `match(a, b)`.
///
/// Cost, threads, errors: see `mismatch`.
/// Example: tests/algorithms/compare_test.cpp: beginnings_and_ends_are_recognised.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          algorithms::detail::predicate_on<It1, It2> Predicate = std::equal_to<>>
// NOLINTNEXTLINE(readability-function-size): the parameters of mismatch
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> starts_with(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2, Predicate match = {}) {
  return algorithms::detail::launch<algorithms::detail::starts_with_call>(
      policy, first1, last1, first2, last2, std::move(match));
}

/// Whether [first1, last1) ends with the elements of [first2, last2), by `match(a, b)`.
///
/// Cost, threads, errors: see `mismatch`.
/// Example: tests/algorithms/compare_test.cpp: beginnings_and_ends_are_recognised.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          algorithms::detail::predicate_on<It1, It2> Predicate = std::equal_to<>>
// NOLINTNEXTLINE(readability-function-size): the parameters of mismatch
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> ends_with(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2, Predicate match = {}) {
  return algorithms::detail::launch<algorithms::detail::ends_with_call>(
      policy, first1, last1, first2, last2, std::move(match));
}

}  // namespace weft
