// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting by one worker.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

#include "weft/algorithms/detail/kernels/vector_sort.hpp"
#include "weft/algorithms/detail/sorting/small_sort.hpp"
#include "weft/algorithms/detail/sorting/split.hpp"

namespace weft::algorithms::detail {

// NOLINTBEGIN(bugprone-return-const-ref-from-parameter): of elements, which stay where they are
template <class T, class Compare>
[[nodiscard]] const T& median_of(const T& a, const T& b, const T& c, Compare& comp) {
  if (comp(a, b)) {
    return comp(b, c) ? b : (comp(a, c) ? c : a);
  }
  return comp(a, c) ? a : (comp(b, c) ? c : b);
}
// NOLINTEND(bugprone-return-const-ref-from-parameter)

template <class It, class Compare>
[[nodiscard]] std::iter_value_t<It> choose_pivot(It first, std::size_t n, Compare& comp) {
  const auto at = [first](std::size_t i) -> const auto& { return *advanced(first, i); };
  const std::size_t middle = n / 2;
  if (n < 128) {
    return median_of(at(0), at(middle), at(n - 1), comp);
  }
  const std::size_t step = n / 8;
  return median_of(median_of(at(0), at(step), at(2 * step), comp),
                   median_of(at(middle - step), at(middle), at(middle + step), comp),
                   median_of(at(n - 1 - 2 * step), at(n - 1 - step), at(n - 1), comp),
                   comp);
}

/// Quicksort whose splits do not branch: for values that are moved for less than a branch costs.
template <class It, class Compare>
void quick_sort(It first, std::size_t n, Compare& comp, unsigned levels_left) {
  constexpr std::size_t small = 32;
  while (n > small && levels_left != 0) {
    --levels_left;
    const auto pivot = choose_pivot(first, n, comp);
    const std::size_t num_before = split_one(first, n, comp, pivot, split_kind::before);
    std::size_t num_done = num_before;
    if (num_before < n / 8) {  // few before it: perhaps many equal to it
      num_done += split_one(
          advanced(first, num_before), n - num_before, comp, pivot, split_kind::not_after);
    }
    if (num_before < n - num_done) {
      quick_sort(first, num_before, comp, levels_left);
      first = advanced(first, num_done);
      n -= num_done;
    } else {
      quick_sort(advanced(first, num_done), n - num_done, comp, levels_left);
      n = num_before;
    }
  }
  if constexpr (std::contiguous_iterator<It>) {
    if (n > 1 && n <= small) {
      small_sort(std::to_address(first), n, comp);
      return;
    }
  }
  std::sort(first, advanced(first, n), comp);
}

/// Sorts by one worker, in place.
template <class It, class Compare>
void leaf_sort(const It& first, std::size_t n, Compare& comp) {
  using value = std::iter_value_t<It>;
  if constexpr (is_vector_sortable<It, Compare>) {
    if (n >= vector_sort_from) {
      vector_sort<Compare>(first, n);
    } else {
      sort_few_numbers<Compare>(first, n);
    }
  } else if constexpr (is_cheap_value<value> && std::is_same_v<std::iter_reference_t<It>, value&>) {
    quick_sort(first, n, comp, 2 * static_cast<unsigned>(std::bit_width(n)));
  } else {
    std::sort(first, advanced(first, n), comp);
  }
}

}  // namespace weft::algorithms::detail
