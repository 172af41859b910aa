// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges two sorted ranges into a third.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "weft/algorithms/detail/engine.hpp"
#include "weft/algorithms/detail/map.hpp"
#include "weft/algorithms/detail/merge_path.hpp"

namespace weft {

namespace algorithms::detail {

struct merge_call {
  template <class How, class It1, class It2, class Out, class Compare>
  static Out run(
      const How& how, It1 first1, It1 last1, It2 first2, It2 last2, Out out, Compare&& comp) {
    if constexpr (std::random_access_iterator<It1> && std::random_access_iterator<It2> &&
                  (How::is_parallel ? indexable_output<Out> : std::random_access_iterator<Out>)) {
      static constinit cost_record costs;
      const merge_lane<It1, It2, Out> all{first1,
                                          static_cast<std::size_t>(last1 - first1),
                                          first2,
                                          static_cast<std::size_t>(last2 - first2),
                                          out};
      static constinit merge_choice choice;  // for calls to come, too
      for_chunks(how,
                 {.n = all.size(), .bytes_per_element = 2 * sizeof(std::iter_value_t<It1>)},
                 costs,
                 [&all, &comp](std::size_t first, std::size_t last) {
                   merge_piece(all, first, last, comp, choice);
                 });
      return advanced(out, all.size());
    } else {
      return std::merge(first1, last1, first2, last2, out, comp);
    }
  }
};

}  // namespace algorithms::detail

/// Copies two ranges sorted by `comp` to one from `out` on; returns its end. Of equal elements
/// those of the first range come first.
///
/// Shape:   the ranges do not overlap the result.
/// Cost:    at most n1 + n2 comparisons and O(log n) a chunk; each element is read and written
/// once. Threads: with a parallel policy `comp` is called from several at once. Errors:  the first
/// exception that `comp` or a copy throws. Example: tests/algorithms/merge_test.cpp:
/// merges_as_the_standard_does.
template <execution_policy Policy,
          std::forward_iterator It1,
          std::forward_iterator It2,
          std::forward_iterator Out,
          class Compare>
algorithm_result_t<Policy, Out> merge(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2, Out out, Compare comp) {
  return algorithms::detail::launch<algorithms::detail::merge_call>(
      policy, first1, last1, first2, last2, out, std::move(comp));
}

/// As above, by `<`.
template <execution_policy Policy,
          std::forward_iterator It1,
          std::forward_iterator It2,
          std::forward_iterator Out>
algorithm_result_t<Policy, Out> merge(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2, Out out) {
  return algorithms::detail::launch<algorithms::detail::merge_call>(
      policy, first1, last1, first2, last2, out, std::less<>());
}

}  // namespace weft
