// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges two sorted ranges that lie side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/merging/buffered_merge.hpp"
#include "weft/algorithms/detail/merging/merge_by_copy.hpp"
#include "weft/algorithms/detail/merging/merge_choice.hpp"
#include "weft/algorithms/detail/merging/merge_path.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/detail/sharing/tasks.hpp"
#include "weft/algorithms/detail/sorting/reorder.hpp"

namespace weft {

namespace algorithms::detail {

/// Finds the order of the elements first, then moves each once. False: memory was short.
template <class How, class It, class Compare>
[[nodiscard]] bool merge_by_order(
    const How& how, It first, std::size_t middle, std::size_t n, Compare& comp) {
  const scratch<std::size_t> numbers(n);
  const scratch<std::size_t> order(n);
  if (!numbers || !order) {
    return false;
  }
  number_elements(how, {numbers.data(), n});
  const compare_at<It, Compare> by_number{first, std::addressof(comp)};
  const std::size_t* const a = numbers.data();
  merge_to_room(how,
                merge_lane<const std::size_t*, const std::size_t*, std::size_t*>{
                    a, middle, a + middle, n - middle, order.data()},
                std::clamp<std::size_t>(n >> 12U, 1, 8 * num_shares(how)),
                by_number);
  reorder(how, first, std::span<std::size_t>(order.data(), n));
  return true;
}

template <class How, class It, class Compare>
[[gnu::noinline]] bool merge_many(
    const How& how, It first, std::size_t middle, std::size_t n, Compare& comp) {
  using value = std::iter_value_t<It>;
  It const second = advanced(first, middle);
  if (middle == 0 || middle == n || !static_cast<bool>(comp(*second, *std::prev(second)))) {
    return true;  // is in order
  }
  if constexpr (std::contiguous_iterator<It> && is_cheap_value<value>) {
    return merge_by_copy(how, side_by_side<value>{std::to_address(first), middle, n}, comp);
  } else if constexpr (How::is_parallel && std::is_lvalue_reference_v<std::iter_reference_t<It>>) {
    return num_shares(how) > 1 && merge_by_order(how, first, middle, n, comp);
  } else {
    return false;
  }
}

struct inplace_merge_call {
  template <class How, class It, class Compare>
  static void run(const How& how, It first, It middle, It last, Compare&& comp) {
    if constexpr (How::is_in_place) {
      using room = scratch<std::iter_value_t<It>>;
      merge_side_by_side(first, middle, last, room(room::few), comp);
      return;
    } else if constexpr (indexed_iterator<It>) {
      constexpr bool is_soon_copied =
          std::contiguous_iterator<It> && is_cheap_value<std::iter_value_t<It>>;
      const auto n = static_cast<std::size_t>(last - first);
      if (n >= (is_soon_copied ? merge_choices::least : merge_many_from) &&
          merge_many(how, first, static_cast<std::size_t>(middle - first), n, comp)) {
        return;
      }
    }
    const scratch<std::iter_value_t<It>> room(
        static_cast<std::size_t>(std::distance(first, middle)));
    merge_side_by_side(first, middle, last, room, comp);
  }
};

}  // namespace algorithms::detail

/// Merges [first, middle) and [middle, last), both sorted by `comp`; equal elements keep their
/// order.
///
/// Cost:    O(n) comparisons; memory for n values. If values are not small and trivial, also for 2
///          n numbers. For 2^18 and more numbers of 32 or 64 bits, only for the first range and
///          16,384 values per worker. With less memory a sequential merge runs that needs less.
/// Threads: with a parallel policy `comp` is called from several at once.
/// Errors:  the first exception that `comp` throws. The elements then are as they were,
///          if n >= 4096, there is memory, and they are small and trivial or others may help.
/// Example: tests/algorithms/merge_test.cpp: merges_as_the_standard_does.
template <execution_policy Policy,
          std::bidirectional_iterator It,
          algorithms::detail::predicate_on<It, It> Compare>
  requires algorithms::detail::moves_within<It>
algorithm_result_t<Policy, void> inplace_merge(
    Policy&& policy, It first, It middle, It last, Compare comp) {
  return algorithms::detail::launch<algorithms::detail::inplace_merge_call>(
      policy, first, middle, last, algorithms::detail::comparing_constants<It>(std::move(comp)));
}

/// As above, by `<`.
template <execution_policy Policy, std::bidirectional_iterator It>
  requires algorithms::detail::predicate_on<std::less<>, It, It> &&
           algorithms::detail::moves_within<It>
algorithm_result_t<Policy, void> inplace_merge(Policy&& policy, It first, It middle, It last) {
  return algorithms::detail::launch<algorithms::detail::inplace_merge_call>(
      policy, first, middle, last, std::less<>());
}

}  // namespace weft
