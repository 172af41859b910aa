// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parallel algorithms.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>

#include <hpx/config.hpp>
#include <hpx/execution.hpp>
#include <hpx/future.hpp>  // IWYU pragma: export: what algorithms with a task policy return

#include "weft/algorithms.hpp"
#include "weft/algorithms/ranges.hpp"

// NOLINTBEGIN(cppcoreguidelines-macro-usage,bugprone-macro-parentheses): lists of names
// The algorithms that come for ranges, too, and those that do not.
#define WEFT_HPX_RANGE_ALGORITHMS(each)                                                            \
  each(adjacent_find) each(all_of) each(any_of) each(copy) each(copy_if) each(copy_n) each(        \
      count) each(count_if) each(equal) each(fill) each(fill_n) each(find) each(find_end)          \
      each(find_first_of) each(find_if) each(find_if_not) each(for_each) each(generate) each(      \
          generate_n) each(includes) each(inplace_merge) each(is_heap) each(is_heap_until)         \
          each(is_partitioned) each(is_sorted) each(is_sorted_until) each(lexicographical_compare) \
              each(max_element) each(merge) each(min_element) each(minmax_element) each(mismatch)  \
                  each(move) each(none_of) each(nth_element) each(partial_sort)                    \
                      each(partial_sort_copy) each(partition) each(partition_copy) each(remove)    \
                          each(remove_copy) each(remove_copy_if) each(remove_if) each(replace)     \
                              each(replace_copy) each(replace_copy_if) each(replace_if)            \
                                  each(reverse) each(reverse_copy) each(rotate) each(rotate_copy)  \
                                      each(search) each(search_n) each(set_difference)             \
                                          each(set_intersection) each(set_symmetric_difference)    \
                                              each(set_union) each(sort) each(stable_partition)    \
                                                  each(stable_sort) each(swap_ranges)              \
                                                      each(transform) each(unique)                 \
                                                          each(unique_copy)
#define WEFT_HPX_OTHER_ALGORITHMS(each)                                                \
  each(adjacent_difference) each(exclusive_scan) each(for_each_n) each(inclusive_scan) \
      each(reduce) each(shift_left) each(shift_right) each(transform_exclusive_scan)   \
          each(transform_inclusive_scan) each(transform_reduce)
#define WEFT_HPX_ALGORITHM(name) \
  using std::name;               \
  using weft::name;
// NOLINTEND(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)

/// With a policy the algorithms are weft's, without one the standard's.
namespace hpx {

WEFT_HPX_RANGE_ALGORITHMS(WEFT_HPX_ALGORITHM)
WEFT_HPX_OTHER_ALGORITHMS(WEFT_HPX_ALGORITHM)
using weft::contains;
using weft::ends_with;
using weft::starts_with;

template <std::forward_iterator It1, std::forward_iterator It2>
bool starts_with(It1 first1, It1 last1, It2 first2, It2 last2) {
  return weft::starts_with(weft::seq, first1, last1, first2, last2);
}
template <std::forward_iterator It1, std::forward_iterator It2>
bool ends_with(It1 first1, It1 last1, It2 first2, It2 last2) {
  return weft::ends_with(weft::seq, first1, last1, first2, last2);
}

namespace experimental {

using weft::induction;
using weft::reduce_by_key;
using weft::reduction;
using weft::reduction_bit_and;
using weft::reduction_bit_or;
using weft::reduction_bit_xor;
using weft::reduction_max;
using weft::reduction_min;
using weft::reduction_multiplies;
using weft::reduction_plus;
using weft::sort_by_key;

/// The type of `last` is that of the indices.
template <weft::execution_policy Policy, class I, class... Arguments>
  requires(sizeof...(Arguments) > 0)
auto for_loop(Policy&& policy, std::type_identity_t<I> first, I last, Arguments&&... arguments) {
  return weft::for_loop(
      std::forward<Policy>(policy), first, last, std::forward<Arguments>(arguments)...);
}
template <class I, class... Arguments>
  requires(sizeof...(Arguments) > 0 && !weft::execution_policy<I>)
void for_loop(std::type_identity_t<I> first, I last, Arguments&&... arguments) {
  weft::for_loop(weft::seq, first, last, std::forward<Arguments>(arguments)...);
}
template <weft::execution_policy Policy, class I, std::integral Stride, class... Arguments>
  requires(sizeof...(Arguments) > 0)
auto for_loop_strided(Policy&& policy,
                      std::type_identity_t<I> first,
                      I last,
                      Stride stride,
                      Arguments&&... arguments) {
  return weft::for_loop_strided(std::forward<Policy>(policy),
                                first,
                                last,
                                static_cast<std::make_signed_t<Stride>>(stride),
                                std::forward<Arguments>(arguments)...);
}
template <weft::execution_policy Policy, class I, std::integral Size, class... Arguments>
  requires(sizeof...(Arguments) > 0)
auto for_loop_n(Policy&& policy, I first, Size size, Arguments&&... arguments) {
  return weft::for_loop(std::forward<Policy>(policy),
                        first,
                        static_cast<I>(first + static_cast<I>(size)),
                        std::forward<Arguments>(arguments)...);
}

}  // namespace experimental

/// As above, for ranges.
namespace ranges {

// NOLINTBEGIN(cppcoreguidelines-macro-usage,bugprone-macro-parentheses): a function for each name
#define WEFT_HPX_RANGES_ALGORITHM(name)                                                     \
  inline constexpr struct name##_t {                                                        \
    template <class First, class... Rest>                                                   \
    auto operator()(First&& first, Rest&&... rest) const {                                  \
      if constexpr (weft::execution_policy<First>) {                                        \
        return weft::ranges::name(std::forward<First>(first), std::forward<Rest>(rest)...); \
      } else {                                                                              \
        return std::ranges::name(std::forward<First>(first), std::forward<Rest>(rest)...);  \
      }                                                                                     \
    }                                                                                       \
  } name{};
// NOLINTEND(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)

WEFT_HPX_RANGE_ALGORITHMS(WEFT_HPX_RANGES_ALGORITHM)
WEFT_HPX_RANGES_ALGORITHM(max)
WEFT_HPX_RANGES_ALGORITHM(min)
WEFT_HPX_RANGES_ALGORITHM(minmax)

#undef WEFT_HPX_RANGES_ALGORITHM
#undef WEFT_HPX_ALGORITHM
#undef WEFT_HPX_OTHER_ALGORITHMS
#undef WEFT_HPX_RANGE_ALGORITHMS

}  // namespace ranges
}  // namespace hpx
