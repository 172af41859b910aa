// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether one range comes before another in the order of a dictionary.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/mismatch.hpp"

namespace weft {

namespace algorithms::detail {

/// Whether neither of two elements comes before the other.
template <class Compare>
struct is_equivalent {
  Compare& less;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return !static_cast<bool>(less(a, b)) && !static_cast<bool>(less(b, a));
  }
};

/// Whether numbers of one type are compared by `<` or `>`, so that unequal ones decide.
template <class It1, class It2, class Compare>
[[nodiscard]] consteval bool compares_numbers() {
  if constexpr (has_pair_kernel<It1, It2, std::equal_to<>>()) {
    using element = std::iter_value_t<It1>;
    return kernels::is_less<Compare, element> || kernels::is_greater<Compare, element>;
  } else {
    return false;
  }
}

/// The first i of [begin, end) where one element comes before the other, or `end`.
template <class It1, class It2, class Compare>
[[nodiscard]] std::size_t first_decision(
    It1 first1, It2 first2, std::size_t begin, std::size_t end, Compare& less) {
  is_equivalent<Compare> same{less};
  if constexpr (compares_numbers<It1, It2, Compare>()) {
    std::equal_to<> equal;
    for (; begin != end; ++begin) {  // again only for what is not a number
      begin = first_difference(first1, first2, begin, end, equal);
      if (begin == end || !same(element_at(first1, begin), element_at(first2, begin))) {
        break;
      }
    }
    return begin;
  } else {
    return first_difference(first1, first2, begin, end, same);
  }
}

struct lexicographical_compare_call {
  template <class How, class It1, class It2, class Compare>
  // NOLINTNEXTLINE(readability-function-size): the standard's parameters
  [[gnu::always_inline]] static bool run(
      const How& how, It1 first1, It1 last1, It2 first2, It2 last2, Compare&& less) {
    if constexpr (is_shared<How, It1, It2>) {
      const std::size_t size1 = size_between(first1, last1);
      const std::size_t size2 = size_between(first2, last2);
      const std::size_t n = std::min(size1, size2);
      const std::size_t hit = search_in(
          how, n, bytes_of<It1, It2>, [first1, first2, &less](std::size_t begin, std::size_t end) {
            return first_decision(first1, first2, begin, end, less);
          });
      return hit == n ? size1 < size2
                      : static_cast<bool>(less(element_at(first1, hit), element_at(first2, hit)));
    } else {
      return std::lexicographical_compare(
          first1, last1, first2, last2, reference_to<Compare>{less});
    }
  }
};

}  // namespace algorithms::detail

/// Whether [first1, last1) comes before [first2, last2) in dictionary order.
///
/// The first pair of elements that are not equivalent by `less` decides. If there is none, the
/// shorter range comes first.
///
/// Cost:    up to 2n comparisons, and those of chunks that others had begun; no allocation.
/// Threads: with a parallel policy elements are compared by several at once.
/// Errors:  the first exception that a comparison throws.
/// Example: tests/algorithms/compare_test.cpp: ranges_are_ordered_as_in_a_dictionary.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          algorithms::detail::predicate_on<It1, It2> Compare>
// NOLINTNEXTLINE(readability-function-size): the standard's parameters
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> lexicographical_compare(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2, Compare less) {
  return algorithms::detail::launch<algorithms::detail::lexicographical_compare_call>(
      policy,
      first1,
      last1,
      first2,
      last2,
      algorithms::detail::comparing_constants<It1, It2>(std::move(less)));
}

/// The same by `<`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2>
  requires algorithms::detail::predicate_on<std::less<>, It1, It2>
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> lexicographical_compare(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2) {
  return weft::lexicographical_compare(policy, first1, last1, first2, last2, std::less<>{});
}

}  // namespace weft
