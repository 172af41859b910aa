// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts a range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/vector_sort.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/detail/sorting/block_sort.hpp"
#include "weft/algorithms/detail/sorting/leaf_sort.hpp"
#include "weft/algorithms/detail/sorting/sample_sort.hpp"
#include "weft/algorithms/detail/sorting/shared_sort.hpp"

namespace weft {

namespace algorithms::detail {

/// From how many elements on a sort is worth the help of others.
template <class It, class Compare>
inline constexpr std::size_t shared_sort_from =
    is_vector_sortable<It, Compare> ? std::size_t{1} << 17U : std::size_t{1} << 12U;

/// Whether equal elements keep their order.
enum class tie_order : bool { any, kept };

/// Whether the range was sorted, or in the opposite order and is so no more. Stops at the first
/// element that is in neither order.
template <tie_order ties, class It, class Compare>
[[nodiscard]] bool was_in_order(const It& first, std::size_t n, Compare& comp) {
  It const last = advanced(first, n);
  It it = std::is_sorted_until(first, last, comp);
  if (it == last) {
    return true;
  }
  // A descending range ascends up to `it` only by equal elements; in a strictly descending one, a
  // single element comes before `it`.
  if (ties == tie_order::kept ? it - first > 1 : static_cast<bool>(comp(*first, *std::prev(it)))) {
    return false;
  }
  const auto descends = [&comp](const It& at) {
    return ties == tie_order::kept ? static_cast<bool>(comp(*at, *std::prev(at)))
                                   : !static_cast<bool>(comp(*std::prev(at), *at));
  };
  do {
    ++it;
  } while (it != last && descends(it));
  if (it != last) {
    return false;
  }
  std::reverse(first, last);
  return true;
}

template <class How, class It, class Compare>
[[gnu::noinline]] void sort_many_values(const How& how,
                                        const It& first,
                                        std::size_t n,
                                        Compare& comp) {
  if constexpr (are_pairs_of_keys<It, Compare>) {
    using value = std::iter_value_t<It>;
    sort_pairs_of_keys(
        how, std::to_address(first), n, key_pair_of<value>(), order_of<Compare, value>());
    return;
  }
  if (was_in_order<tie_order::any>(first, n, comp)) {
    return;
  }
  // Proxies may share memory, as those of std::vector<bool> do.
  if constexpr (How::is_parallel && std::is_lvalue_reference_v<std::iter_reference_t<It>>) {
    if (n >= shared_sort_from<It, Compare>) {
      if constexpr (How::is_in_place && is_block_sortable<It>) {
        // Below, its buffers would be no small part of the range.
        constexpr std::size_t block_sort_bytes = std::size_t{4} << 20U;
        if (n >= block_sort_bytes / sizeof(std::iter_value_t<It>) &&
            block_sort<How, It, Compare>(how, first, n, comp).run()) {
          return;
        }
      }
      if constexpr (!How::is_in_place && is_sample_sortable<It>) {
        // One worker alone gains where the range is larger than its caches.
        constexpr std::size_t alone_from = 1U << 18U;
        if ((n >= alone_from || num_shares(how) > 1) &&
            sample_sort<How, It, Compare>(how, first, n, comp).run()) {
          return;
        }
      }
      shared_sort<How, It, Compare>(how, first, n, comp).run();
      return;
    }
  }
  leaf_sort(first, n, comp);
}

/// From `vector_sort_from` on.
template <class How, class It, class Compare>
void sort_many(const How& how, const It& first, std::size_t n, Compare& comp) {
  if constexpr (is_vector_sortable<It, Compare>) {
    using key = std::iter_value_t<It>;
    sort_numbers(how, std::to_address(first), n, kind_of<key>(), order_of<Compare, key>());
  } else {
    sort_many_values(how, first, n, comp);
  }
}

struct sort_call {
  template <class How, class It, class Compare>
  [[gnu::always_inline]] static void run(const How& how,
                                         const It& first,
                                         const It& last,
                                         Compare&& comp) {
    const auto n = static_cast<std::size_t>(last - first);
    if (n >= vector_sort_from) {
      sort_many(how, first, n, comp);
    } else if constexpr (is_vector_sortable<It, Compare>) {
      sort_few_numbers<Compare>(first, n);
    } else {
      std::sort(first, last, comp);
    }
  }
};

}  // namespace algorithms::detail

// By value as in the standard, so that arrays become pointers.
// NOLINTBEGIN(performance-unnecessary-value-param)

/// Sorts [first, last) by `comp`; equal elements come in any order.
///
/// All workers split the range by pivots until each has parts of its own. Numbers compared by
/// `less` or `greater` are split and sorted by the processor's widest vectors. Values that are
/// expensive to move are distributed to many buckets at once (samplesort).
/// Cost:    O(n log n) comparisons. No memory that grows with n for trivially copyable values of up
///          to 16 bytes, and for values whose moves may throw. Otherwise memory for n values and 2
///          n bytes, or none if that is not available. With `policy.with(in_place)` no memory for
///          numbers, for ranges of less than 4 MiB, and for values of more than 256 bytes. Other
///          ranges use 0.5 MiB per worker and a thousandth of the range to exchange blocks in
///          place.
/// Threads: with a parallel policy `comp` is called from several at once.
/// Errors:  the first exception that `comp` or a move throws; the elements are then valid, and no
///          more is known of them.
/// Source:  Frazer, McKellar, "Samplesort", JACM 17(3), 1970; Sanders, Winkel, "Super Scalar Sample
///          Sort", ESA 2004; Axtmann, Witt, Ferizovic, Sanders, "In-Place Parallel Super Scalar
///          Samplesort", ESA 2017.
/// Example: tests/algorithms/sort_test.cpp: sorts_numbers_at_every_size.
template <execution_policy Policy,
          std::random_access_iterator It,
          algorithms::detail::predicate_on<It, It> Compare>
  requires algorithms::detail::moves_within<It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, void> sort(Policy&& policy,
                                                                    It first,
                                                                    It last,
                                                                    Compare comp) {
  return algorithms::detail::launch<algorithms::detail::sort_call>(
      policy, first, last, algorithms::detail::comparing_constants<It>(std::move(comp)));
}

/// As above, by `<`.
template <execution_policy Policy, std::random_access_iterator It>
  requires algorithms::detail::predicate_on<std::less<>, It, It> &&
           algorithms::detail::moves_within<It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, void> sort(Policy&& policy,
                                                                    It first,
                                                                    It last) {
  return algorithms::detail::launch<algorithms::detail::sort_call>(
      policy, first, last, std::less<>());
}

// NOLINTEND(performance-unnecessary-value-param)

}  // namespace weft
