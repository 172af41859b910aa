// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts the element of a rank in its place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/detail/sorting/select.hpp"

namespace weft {

namespace algorithms::detail {

struct nth_element_call {
  template <class How, class It, class Compare>
  static void run(const How& how, It first, It nth, It last, Compare&& comp) {
    constexpr std::size_t select_from = 1U << 12U;
    const auto n = static_cast<std::size_t>(last - first);
    if (nth == last) {
      return;
    }
    if (n < select_from) {
      select_alone(first, n, static_cast<std::size_t>(nth - first), comp);
    } else {
      select(how, first, n, static_cast<std::size_t>(nth - first), comp);
    }
  }
};

}  // namespace algorithms::detail

/// Puts the element at `nth` that would be there if [first, last) were sorted by `comp`.
///
/// No element before `nth` is greater than it, and no element behind is less.
///
/// Cost:    about n + min(k, n - k) comparisons for rank k, up to 1.5 times as many for some ten
///          thousand elements; in place.
/// Threads: with a parallel policy `comp` is called from several at once.
/// Errors:  the first exception that `comp` or a copy throws; the elements are then valid, and no
///          more is known of them. Values that cannot be copied are looked through by the caller.
/// Source:  Floyd, Rivest, "Expected Time Bounds for Selection", CACM 18(3), 1975.
/// Example: tests/algorithms/selection_test.cpp: splits_around_every_rank.
template <execution_policy Policy,
          std::random_access_iterator It,
          algorithms::detail::predicate_on<It, It> Compare>
  requires algorithms::detail::moves_within<It>
algorithm_result_t<Policy, void> nth_element(
    Policy&& policy, It first, It nth, It last, Compare comp) {
  return algorithms::detail::launch<algorithms::detail::nth_element_call>(
      policy, first, nth, last, algorithms::detail::comparing_constants<It>(std::move(comp)));
}

/// As above, by `<`.
template <execution_policy Policy, std::random_access_iterator It>
  requires algorithms::detail::predicate_on<std::less<>, It, It> &&
           algorithms::detail::moves_within<It>
algorithm_result_t<Policy, void> nth_element(Policy&& policy, It first, It nth, It last) {
  return algorithms::detail::launch<algorithms::detail::nth_element_call>(
      policy, first, nth, last, std::less<>());
}

}  // namespace weft
