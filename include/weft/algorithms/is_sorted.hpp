// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far, and whether altogether, a range is in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/loops/blocks.hpp"
#include "weft/algorithms/detail/loops/search_in.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

namespace algorithms::detail {

/// The first i of [begin, end) for which element i + 1 comes before element i, or `end`.
template <class It, class Compare>
[[nodiscard]] std::size_t first_descent(const It& first,
                                        std::size_t begin,
                                        std::size_t end,
                                        Compare& less) {
  if constexpr (kernels::has_order_kernels<It>) {
    using element = std::iter_value_t<It>;
    constexpr bool rises = kernels::is_less<Compare, element>;
    if constexpr (rises || kernels::is_greater<Compare, element>) {
      if (end - begin >= kernels::least_elements) {
        const auto* const data = kernels::data_of<kernels::order_number<element>>(first) + begin;
        return begin + kernels::find_pair_less(
                           rises ? data + 1 : data, rises ? data : data + 1, end - begin);
      }
    }
  }
  if constexpr (is_tested_in_blocks<It>) {
    auto* const data = std::to_address(first);
    return first_in_blocks<std::iter_value_t<It>>(
        begin, end, [data, &less](std::size_t i) { return less(data[i + 1], data[i]); });
  }
  It it = iterator_at(first, begin);
  for (It next = std::next(it); begin != end && !static_cast<bool>(less(*next, *it));
       ++begin, static_cast<void>(++it), static_cast<void>(++next)) {
  }
  return begin;
}

struct is_sorted_until_call {
  template <class How, class It, class Compare>
  [[gnu::always_inline]] static It run(const How& how,
                                       const It& first,
                                       const It& last,
                                       Compare&& less) {
    if constexpr (is_shared<How, It>) {
      const std::size_t n = size_between(first, last);
      if (n < 2) {
        return last;
      }
      return iterator_at(
          first,
          1 + search_in(
                  how, n - 1, bytes_of<It>, [first, &less](std::size_t begin, std::size_t end) {
                    return first_descent(first, begin, end, less);
                  }));
    } else if constexpr (is_walked<How, It>) {
      if (first == last) {
        return last;
      }
      const auto descends = [&less](const It& next, const It& it) -> bool {
        return static_cast<bool>(less(*next, *it));
      };
      return find_in_walk(how, detail::walk(std::next(first), last, first), descends).at().first();
    } else {
      return std::is_sorted_until(first, last, reference_to<Compare>{less});
    }
  }
};

struct is_sorted_call {
  template <class How, class It, class Compare>
  [[gnu::always_inline]] static bool run(const How& how,
                                         const It& first,
                                         const It& last,
                                         Compare&& less) {
    return is_sorted_until_call::run(how, first, last, less) == last;
  }
};

}  // namespace algorithms::detail

// By value as in the standard, so that arrays become pointers.
// NOLINTBEGIN(performance-unnecessary-value-param)

/// Finds the end of the longest front of [first, last) that is in order by `less`.
///
/// Cost:    up to n - 1 comparisons, and those of chunks that others had begun; no allocation.
/// Threads: with a parallel policy elements are compared by several at once.
/// Errors:  the first exception that a comparison throws.
/// Example: tests/algorithms/find_test.cpp: the_end_of_the_order_is_found.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_on<It, It> Compare>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> is_sorted_until(Policy&& policy,
                                                                             It first,
                                                                             It last,
                                                                             Compare less) {
  return algorithms::detail::launch<algorithms::detail::is_sorted_until_call>(
      policy, first, last, std::move(less));
}

/// Finds the end of the longest front of [first, last) that is in order by `<`.
template <execution_policy Policy, algorithms::detail::multipass_iterator It>
  requires algorithms::detail::predicate_on<std::less<>, It, It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> is_sorted_until(Policy&& policy,
                                                                             It first,
                                                                             It last) {
  return weft::is_sorted_until(policy, first, last, std::less<>{});
}

/// Whether [first, last) is in order by `less`. See `is_sorted_until`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_on<It, It> Compare>
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> is_sorted(Policy&& policy,
                                                                         It first,
                                                                         It last,
                                                                         Compare less) {
  return algorithms::detail::launch<algorithms::detail::is_sorted_call>(
      policy, first, last, std::move(less));
}

/// Whether [first, last) is in order by `<`.
template <execution_policy Policy, algorithms::detail::multipass_iterator It>
  requires algorithms::detail::predicate_on<std::less<>, It, It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> is_sorted(Policy&& policy,
                                                                         It first,
                                                                         It last) {
  return weft::is_sorted(policy, first, last, std::less<>{});
}

// NOLINTEND(performance-unnecessary-value-param)

}  // namespace weft
