// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a sorted range holds every element of another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

namespace algorithms::detail {

/// Moves `it` to the first element of [it, last) that does not come before `value`, by doubling
/// steps. A near element costs as little as in a loop; a distant one is found fast.
template <class It, class T, class Compare>
[[nodiscard]] It gallop_to(It it, It last, const T& value, Compare& less) {
  std::iter_difference_t<It> step = 1;
  while (last - it > step && static_cast<bool>(less(it[step], value))) {
    it += step + 1;
    step *= 2;
  }
  const It end = last - it > step ? it + step + 1 : last;
  return std::lower_bound(it, end, value, reference_to<Compare>{less});
}

/// Whether the sorted [first1, last1) holds the elements of the sorted [first2, last2). After a few
/// unwanted elements, the next wanted one is searched in larger steps.
template <class It1, class It2, class Compare>
[[nodiscard]] bool includes_all(It1 first1, It1 last1, It2 first2, It2 last2, Compare& less) {
  constexpr int patience = 32;
  for (; first2 != last2; ++first1, static_cast<void>(++first2)) {
    for (int passed = 0; first1 != last1 && static_cast<bool>(less(*first1, *first2)); ++first1) {
      if (++passed == patience) {
        first1 = gallop_to(first1, last1, *first2, less);
        break;
      }
    }
    if (first1 == last1 || static_cast<bool>(less(*first2, *first1))) {
      return false;
    }
  }
  return true;
}

/// Whether the elements of those groups of equivalent ones that begin in [begin, end) of the second
/// range are all in the first range.
template <class It1, class It2, class Compare>
[[nodiscard]] bool includes_groups(const std::pair<It1, It1>& holder,
                                   const std::pair<It2, It2>& wanted,
                                   std::size_t begin,
                                   std::size_t end,
                                   Compare& less) {
  const reference_to<Compare> call{less};
  const auto group_end = [&wanted, &call](std::size_t i) {
    const It2 at = iterator_at(wanted.first, i);
    return i == 0 ? at : std::upper_bound(at, wanted.second, *std::prev(at), call);
  };
  const It2 from = group_end(begin);
  if (size_between(wanted.first, from) >= end) {
    return true;
  }
  const It2 to = group_end(end);
  const It1 start =
      begin == 0 ? holder.first : std::lower_bound(holder.first, holder.second, *from, call);
  return includes_all(start, holder.second, from, to, less);
}

struct includes_call {
  template <class How, class It1, class It2, class Compare>
  // NOLINTNEXTLINE(readability-function-size): the standard's parameters
  [[gnu::always_inline]] static bool run(
      const How& how, It1 first1, It1 last1, It2 first2, It2 last2, Compare&& less) {
    if constexpr (is_shared<How, It1, It2>) {
      const std::size_t n = size_between(first2, last2);
      if (n > size_between(first1, last1)) {
        return false;
      }
      if (n <= 8) {
        const reference_to<Compare> call{less};
        return std::includes(first1, last1, first2, last2, call);
      }
      const std::pair holder(first1, last1);
      const std::pair wanted(first2, last2);
      const auto scan = [&holder, &wanted, &less](std::size_t begin, std::size_t end) {
        return includes_groups(holder, wanted, begin, end, less) ? end : begin;
      };
      static constinit cost_record costs;
      // Each chunk is located in both ranges first. With short chunks an element would seem so
      // expensive that all later chunks would be short, too.
      constexpr std::size_t least_chunk = chooses_chunks<How> ? 1 : 512;
      const loop_shape shape{
          .n = n, .bytes_per_element = bytes_of<It1, It2>, .multiple_of = least_chunk};
      return find_chunk(how, shape, costs, scan) == n;
    } else {
      return std::includes(first1, last1, first2, last2, reference_to<Compare>{less});
    }
  }
};

}  // namespace algorithms::detail

/// Whether every element of the sorted [first2, last2) is in the sorted [first1, last1), as often.
///
/// Shape:   both are sorted by `less`.
/// Cost:    up to 2 (n1 + n2) comparisons, and logarithms of both for each chunk; no allocation.
/// Threads: with a parallel policy elements are compared by several at once.
/// Errors:  the first exception that a comparison throws.
/// Example: tests/algorithms/compare_test.cpp: inclusion_counts_equal_elements.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          algorithms::detail::predicate_on<It1, It2> Compare>
// NOLINTNEXTLINE(readability-function-size): the standard's parameters
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> includes(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2, Compare less) {
  return algorithms::detail::launch<algorithms::detail::includes_call>(
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
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> includes(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2) {
  return weft::includes(policy, first1, last1, first2, last2, std::less<>{});
}

}  // namespace weft
