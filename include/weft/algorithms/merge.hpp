// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges two sorted ranges into a third.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/merging/merge_choice.hpp"
#include "weft/algorithms/detail/merging/merge_path.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/detail/sharing/tasks.hpp"

namespace weft {

namespace algorithms::detail {

/// Between these sizes a merge is cut into one part per worker, the same parts every time. So each
/// worker's branch predictor learns its own part.
inline constexpr std::size_t least_in_parts = std::size_t{1} << 13U;
inline constexpr std::size_t most_in_parts = std::size_t{1} << 16U;

/// Whether merging in parts is faster than on one thread: other workers are awake, and have enough
/// to do.
[[nodiscard]] bool pays_in_parts(const loop_policy& how, const cost_record& costs, std::size_t n);

template <class How, class Lane, class Compare>
[[gnu::noinline]] void merge_in_parts(
    const How& how, const Lane& all, cost_record& costs, Compare& comp, merge_choices& choices) {
  const std::size_t n = all.size();
  const std::size_t num_parts = std::min(num_shares(how), n / (least_in_parts / 2));
  const cost_note noted(costs, n, true);
  for_tasks(how, num_parts, [&](std::size_t i) {
    merge_piece(all, part_begin(n, num_parts, i), part_begin(n, num_parts, i + 1), comp, choices);
  });
}

struct merge_call {
  template <class How, class It1, class It2, class Out, class Compare>
  static Out run(
      const How& how, It1 first1, It1 last1, It2 first2, It2 last2, Out out, Compare&& comp) {
    if constexpr (indexed_iterator<It1> && indexed_iterator<It2> &&
                  (How::is_parallel ? indexable_output<Out> : indexed_iterator<Out>)) {
      static constinit cost_record costs;
      const merge_lane<It1, It2, Out> all{first1,
                                          static_cast<std::size_t>(last1 - first1),
                                          first2,
                                          static_cast<std::size_t>(last2 - first2),
                                          out};
      static constinit merge_choices choices;  // for calls to come, too
      if constexpr (How::is_parallel && may_be_short<How> && !How::template has<auto_chunk_size> &&
                    !How::template has<max_num_chunks>) {
        if (all.size() >= least_in_parts && all.size() <= most_in_parts &&
            pays_in_parts(how, costs, all.size())) {
          merge_in_parts(how, all, costs, comp, choices);
          return advanced(out, all.size());
        }
      }
      for_chunks(how,
                 {.n = all.size(), .bytes_per_element = 2 * sizeof(std::iter_value_t<It1>)},
                 costs,
                 [&all, &comp](std::size_t first, std::size_t last) {
                   merge_piece(all, first, last, comp, choices);
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
///          once.
/// Threads: with a parallel policy `comp` is called from several at once.
/// Errors:  the first exception that `comp` or a copy throws.
/// Example: tests/algorithms/merge_test.cpp: merges_as_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          std::forward_iterator Out,
          algorithms::detail::predicate_on<It2, It1> Compare>
algorithm_result_t<Policy, Out> merge(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2, Out out, Compare comp) {
  return algorithms::detail::launch<algorithms::detail::merge_call>(
      policy,
      first1,
      last1,
      first2,
      last2,
      out,
      algorithms::detail::comparing_constants<It2, It1>(std::move(comp)));
}

/// As above, by `<`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          std::forward_iterator Out>
  requires algorithms::detail::predicate_on<std::less<>, It2, It1>
algorithm_result_t<Policy, Out> merge(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2, Out out) {
  return algorithms::detail::launch<algorithms::detail::merge_call>(
      policy, first1, last1, first2, last2, out, std::less<>());
}

}  // namespace weft
