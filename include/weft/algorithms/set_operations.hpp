// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unions, intersections and differences of sorted ranges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/merging/set_works.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

namespace algorithms::detail {

template <set_kind kind>
struct set_call {
  template <class How, class It1, class It2, class Out, class Compare>
  static Out run(
      const How& how, It1 first1, It1 last1, It2 first2, It2 last2, Out out, Compare&& comp) {
    if constexpr (indexed_iterator<It1> && indexed_iterator<It2> &&
                  (How::is_parallel ? indexable_output<Out> : indexed_iterator<Out>)) {
      const set_input<It1, It2> in{first1,
                                   static_cast<std::size_t>(last1 - first1),
                                   first2,
                                   static_cast<std::size_t>(last2 - first2)};
      return set_operation<kind>(how, in, out, comp);
    } else {
      return set_of_ranges<kind>(first1, last1, first2, last2, out, comp);
    }
  }
};

using union_call = set_call<set_kind::join>;
using intersection_call = set_call<set_kind::intersection>;
using difference_call = set_call<set_kind::difference>;
using symmetric_difference_call = set_call<set_kind::symmetric_difference>;

}  // namespace algorithms::detail

/// Copies the union of two sorted ranges to `out` and returns the end of the result.
///
/// A value that occurs m times in the first range and n times in the second occurs max(m, n) times
/// in the result. The m elements of the first range come first, then the last max(n - m, 0) of the
/// second.
///
/// Shape:   both ranges are sorted by `comp`; neither overlaps the result.
/// Cost:    O(n1 + n2) comparisons; small trivial values pass through a cache once, of others the
///          result is counted first and written then.
/// Threads: with a parallel policy `comp` is called from several at once.
/// Errors:  the first exception that `comp` or a copy throws.
/// Example: tests/algorithms/merge_test.cpp: merges_as_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          std::forward_iterator Out,
          algorithms::detail::predicate_on<It1, It2> Compare = std::less<>>
algorithm_result_t<Policy, Out> set_union(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2, Out out, Compare comp = {}) {
  return algorithms::detail::launch<algorithms::detail::union_call>(
      policy,
      first1,
      last1,
      first2,
      last2,
      out,
      algorithms::detail::comparing_constants<It1, It2>(std::move(comp)));
}

/// Copies the intersection of two sorted ranges to `out` and returns the end of the result.
///
/// A value that occurs m and n times occurs min(m, n) times in the result, copied from the first
/// range. Everything else is as in `set_union`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          std::forward_iterator Out,
          algorithms::detail::predicate_on<It1, It2> Compare = std::less<>>
algorithm_result_t<Policy, Out> set_intersection(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2, Out out, Compare comp = {}) {
  return algorithms::detail::launch<algorithms::detail::intersection_call>(
      policy,
      first1,
      last1,
      first2,
      last2,
      out,
      algorithms::detail::comparing_constants<It1, It2>(std::move(comp)));
}

/// Copies the elements of the first sorted range that are not in the second to `out`.
///
/// A value that occurs m times in the first range and n times in the second occurs max(m - n, 0)
/// times in the result. Returns the end of the result. Everything else is as in `set_union`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          std::forward_iterator Out,
          algorithms::detail::predicate_on<It1, It2> Compare = std::less<>>
algorithm_result_t<Policy, Out> set_difference(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2, Out out, Compare comp = {}) {
  return algorithms::detail::launch<algorithms::detail::difference_call>(
      policy,
      first1,
      last1,
      first2,
      last2,
      out,
      algorithms::detail::comparing_constants<It1, It2>(std::move(comp)));
}

/// Copies what is in one of the ranges only to `out`: each value as often as one has it more often
/// than the other. Returns the end of the result. All else is as of `set_union`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          std::forward_iterator Out,
          algorithms::detail::predicate_on<It1, It2> Compare = std::less<>>
algorithm_result_t<Policy, Out> set_symmetric_difference(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2, Out out, Compare comp = {}) {
  return algorithms::detail::launch<algorithms::detail::symmetric_difference_call>(
      policy,
      first1,
      last1,
      first2,
      last2,
      out,
      algorithms::detail::comparing_constants<It1, It2>(std::move(comp)));
}

}  // namespace weft
