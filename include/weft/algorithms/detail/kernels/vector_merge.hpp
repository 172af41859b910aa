// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merging of sorted numbers with the widest vectors of the processor at hand.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "weft/algorithms/detail/kernels/vector_sort.hpp"

namespace weft::algorithms::detail {

/// Two sorted ranges of keys, and where their merge goes.
struct key_lane {
  const void* a;
  std::size_t a_size;
  const void* b;
  std::size_t b_size;
  void* out;
};

/// Elements in memory that others may not change meanwhile.
template <class It>
inline constexpr bool has_plain_elements =
    std::is_same_v<std::remove_const_t<std::remove_reference_t<std::iter_reference_t<It>>>,
                   std::iter_value_t<It>>;

/// Numbers of one type, in an order and of a width that the kernels know.
template <class It1, class It2, class Out, class Compare>
inline constexpr bool is_vector_mergeable =
    is_vector_sortable<It1, Compare> && is_vector_sortable<It2, Compare> &&
    std::contiguous_iterator<Out> &&
    std::is_same_v<std::iter_value_t<It1>, std::iter_value_t<It2>> &&
    std::is_same_v<std::iter_reference_t<Out>, std::iter_value_t<It1>&> &&
    has_plain_elements<It1> && has_plain_elements<It2> && sizeof(std::iter_value_t<It1>) >= 4;

/// Writes elements [first, last) of the merge to their places in `all.out`, bit for bit as the
/// standard does: also zeros of both signs. False: the processor has no vectors for it, and nothing
/// was written.
[[nodiscard]] bool vector_merge(const key_lane& all,
                                std::size_t first,
                                std::size_t last,
                                key_kind kind,
                                key_order order) noexcept;

}  // namespace weft::algorithms::detail
