// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts a range; equal elements keep their order.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/merging/buffered_merge.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/detail/sorting/merge_sort.hpp"
#include "weft/algorithms/detail/sorting/reorder.hpp"
#include "weft/algorithms/sort.hpp"

namespace weft {

namespace algorithms::detail {

/// Whether equal numbers may differ: if there is a zero with a sign.
template <class How, class T>
[[nodiscard]] bool has_negative_zero(const How& how, const T* keys, std::size_t n) {
  if constexpr (std::floating_point<T>) {
    static constinit cost_record costs;
    const auto scan = [keys](std::size_t first, std::size_t last) {
      constexpr std::size_t block = 256;
      for (; first != last; first += std::min(block, last - first)) {
        const std::size_t end = first + std::min(block, last - first);
        bool has_one = false;
        for (std::size_t i = first; i < end; ++i) {
          has_one |= keys[i] == T{0} && __builtin_signbit(keys[i]);
        }
        if (has_one) {
          return first;
        }
      }
      return last;
    };
    return find_chunk(how, {.n = n, .bytes_per_element = sizeof(T)}, costs, scan) != n;
  } else {
    return false;
  }
}

/// Finds the order of the elements first, then moves each once. False: memory was short.
template <class How, class It, class Compare>
[[nodiscard]] bool stable_sort_by_order(const How& how,
                                        const It& first,
                                        std::size_t n,
                                        Compare& comp) {
  const scratch<std::size_t> order(n);
  if (!order) {
    return false;
  }
  const std::span<std::size_t> all(order.data(), n);
  number_elements(how, all);
  const compare_at<It, Compare> by_number{first, std::addressof(comp)};
  if (!merge_sort(how, all, by_number)) {
    return false;
  }
  reorder(how, first, all);
  return true;
}

template <class How, class It, class Compare>
[[gnu::noinline]] void stable_sort_many(const How& how,
                                        const It& first,
                                        std::size_t n,
                                        Compare& comp) {
  using value = std::iter_value_t<It>;
  if (was_in_order<tie_order::kept>(first, n, comp)) {
    return;
  }
  if constexpr (is_vector_sortable<It, Compare>) {
    if (!has_negative_zero(how, std::to_address(first), n)) {
      sort_many(how, first, n, comp);
      return;
    }
  }
  if constexpr (How::is_in_place) {
    // There is room for a few.
  } else if constexpr (std::contiguous_iterator<It> && is_cheap_value<value>) {
    if (merge_sort(how, std::span<value>(std::to_address(first), n), comp)) {
      return;
    }
  } else if constexpr (How::is_parallel && std::is_lvalue_reference_v<std::iter_reference_t<It>>) {
    constexpr std::size_t by_order_from = 1U << 12U;
    if (n >= by_order_from && num_shares(how) > 1 && stable_sort_by_order(how, first, n, comp)) {
      return;
    }
  }
  const scratch<value> room(How::is_in_place ? scratch<value>::few : n - n / 2);
  stable_sort_alone(first, n, room, comp);
}

struct stable_sort_call {
  template <class How, class It, class Compare>
  [[gnu::always_inline]] static void run(const How& how,
                                         const It& first,
                                         const It& last,
                                         Compare&& comp) {
    const auto n = static_cast<std::size_t>(last - first);
    constexpr std::size_t small = 12;
    if (n <= small) {
      insertion_sort(first, last, comp);
    } else {
      stable_sort_many(how, first, n, comp);
    }
  }
};

}  // namespace algorithms::detail

// By value as in the standard, so that arrays become pointers.
// NOLINTBEGIN(performance-unnecessary-value-param)

/// Sorts [first, last) by `comp`; equal elements keep their order.
///
/// Numbers compared by `less` or `greater` are sorted as by `sort`; other small trivial values by
/// merges without branches. For all others the order is found first, and then each value is moved
/// once.
/// Cost:    O(n log n) comparisons; memory for n values, and for n numbers if values are not small
///          and trivial. With less memory a sequential sort runs that needs less. With
///          `policy.with(in_place)` the calling thread sorts all but numbers alone, in O(n log^2
///          n).
/// Threads: with a parallel policy `comp` is called from several at once.
/// Errors:  the first exception that `comp` throws. Elements that are not small and trivial then
///          are as they were, if n >= 4096, others may help and there is memory.
/// Example: tests/algorithms/sort_test.cpp: keeps_the_order_of_equal_elements.
template <execution_policy Policy,
          std::random_access_iterator It,
          algorithms::detail::predicate_on<It, It> Compare>
  requires algorithms::detail::moves_within<It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, void> stable_sort(Policy&& policy,
                                                                           It first,
                                                                           It last,
                                                                           Compare comp) {
  return algorithms::detail::launch<algorithms::detail::stable_sort_call>(
      policy, first, last, algorithms::detail::comparing_constants<It>(std::move(comp)));
}

/// As above, by `<`.
template <execution_policy Policy, std::random_access_iterator It>
  requires algorithms::detail::predicate_on<std::less<>, It, It> &&
           algorithms::detail::moves_within<It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, void> stable_sort(Policy&& policy,
                                                                           It first,
                                                                           It last) {
  return algorithms::detail::launch<algorithms::detail::stable_sort_call>(
      policy, first, last, std::less<>());
}

// NOLINTEND(performance-unnecessary-value-param)

}  // namespace weft
