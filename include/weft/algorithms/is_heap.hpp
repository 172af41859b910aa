// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far, and whether altogether, a range is a heap.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/loops/blocks.hpp"
#include "weft/algorithms/detail/loops/search_in.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

namespace algorithms::detail {

/// The first i of [begin, end) whose parent comes before element i + 1, or `end`. Two children of
/// one parent are compared between two looks at it.
template <class It, class Compare>
[[nodiscard]] std::size_t first_wrong_child(It first,
                                            std::size_t begin,
                                            std::size_t end,
                                            Compare& less) {
  const auto is_wrong = [first, &less](std::size_t i) {
    return static_cast<bool>(less(element_at(first, i / 2), element_at(first, i + 1)));
  };
  if (begin != end && begin % 2 != 0) {
    if (is_wrong(begin)) {
      return begin;
    }
    ++begin;
  }
  if constexpr (is_tested_in_blocks<It>) {
    auto* const data = std::to_address(first);
    const auto has_wrong_child = [data, &less](std::size_t parent) {
      const bool left = static_cast<bool>(less(data[parent], data[2 * parent + 1]));
      const bool right = static_cast<bool>(less(data[parent], data[2 * parent + 2]));
      return static_cast<int>(left) | static_cast<int>(right);
    };
    begin = 2 * first_in_blocks<std::iter_value_t<It>>(begin / 2, end / 2, has_wrong_child);
  }
  for (; end - begin >= 2; begin += 2) {
    if (is_wrong(begin)) {
      return begin;
    }
    if (is_wrong(begin + 1)) {
      return begin + 1;
    }
  }
  return begin != end && is_wrong(begin) ? begin : end;
}

struct is_heap_until_call {
  template <class How, class It, class Compare>
  [[gnu::always_inline]] static It run(const How& how, It first, It last, Compare&& less) {
    const std::size_t n = size_between(first, last);
    if (n < 2) {
      return last;
    }
    const auto scan = [first, &less](std::size_t begin, std::size_t end) {
      return first_wrong_child(first, begin, end, less);
    };
    return iterator_at(first, 1 + search_in(how, n - 1, bytes_of<It>, scan));
  }
};

struct is_heap_call {
  template <class How, class It, class Compare>
  [[gnu::always_inline]] static bool run(const How& how, It first, It last, Compare&& less) {
    return is_heap_until_call::run(how, first, last, less) == last;
  }
};

}  // namespace algorithms::detail

/// Finds the end of the longest front of [first, last) that is a heap by `less`.
///
/// Cost:    up to n - 1 comparisons, and those of chunks that others had begun; no allocation.
/// Threads: with a parallel policy elements are compared by several at once.
/// Errors:  the first exception that a comparison throws.
/// Example: tests/algorithms/find_test.cpp: the_end_of_the_heap_is_found.
template <execution_policy Policy,
          std::random_access_iterator It,
          algorithms::detail::predicate_on<It, It> Compare>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> is_heap_until(Policy&& policy,
                                                                           It first,
                                                                           It last,
                                                                           Compare less) {
  return algorithms::detail::launch<algorithms::detail::is_heap_until_call>(
      policy, first, last, std::move(less));
}

/// Finds the end of the longest front of [first, last) that is a heap by `<`.
template <execution_policy Policy, std::random_access_iterator It>
  requires algorithms::detail::predicate_on<std::less<>, It, It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> is_heap_until(Policy&& policy,
                                                                           It first,
                                                                           It last) {
  return weft::is_heap_until(policy, first, last, std::less<>{});
}

/// Whether [first, last) is a heap by `less`. See `is_heap_until`.
template <execution_policy Policy,
          std::random_access_iterator It,
          algorithms::detail::predicate_on<It, It> Compare>
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> is_heap(Policy&& policy,
                                                                       It first,
                                                                       It last,
                                                                       Compare less) {
  return algorithms::detail::launch<algorithms::detail::is_heap_call>(
      policy, first, last, std::move(less));
}

/// Whether [first, last) is a heap by `<`.
template <execution_policy Policy, std::random_access_iterator It>
  requires algorithms::detail::predicate_on<std::less<>, It, It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> is_heap(Policy&& policy,
                                                                       It first,
                                                                       It last) {
  return weft::is_heap(policy, first, last, std::less<>{});
}

}  // namespace weft
