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

/// With a policy the algorithms are weft's, without one the standard's.
namespace hpx {

using std::adjacent_difference;
using std::adjacent_find;
using std::all_of;
using std::any_of;
using std::copy;
using std::copy_if;
using std::copy_n;
using std::count;
using std::count_if;
using std::equal;
using std::exclusive_scan;
using std::fill;
using std::fill_n;
using std::find;
using std::find_end;
using std::find_first_of;
using std::find_if;
using std::find_if_not;
using std::for_each;
using std::for_each_n;
using std::generate;
using std::generate_n;
using std::includes;
using std::inclusive_scan;
using std::inplace_merge;
using std::is_heap;
using std::is_heap_until;
using std::is_partitioned;
using std::is_sorted;
using std::is_sorted_until;
using std::lexicographical_compare;
using std::max_element;
using std::merge;
using std::min_element;
using std::minmax_element;
using std::mismatch;
using std::move;
using std::none_of;
using std::nth_element;
using std::partial_sort;
using std::partial_sort_copy;
using std::partition;
using std::partition_copy;
using std::reduce;
using std::remove;
using std::remove_copy;
using std::remove_copy_if;
using std::remove_if;
using std::replace;
using std::replace_copy;
using std::replace_copy_if;
using std::replace_if;
using std::reverse;
using std::reverse_copy;
using std::rotate;
using std::rotate_copy;
using std::search;
using std::search_n;
using std::set_difference;
using std::set_intersection;
using std::set_symmetric_difference;
using std::set_union;
using std::shift_left;
using std::shift_right;
using std::sort;
using std::stable_partition;
using std::stable_sort;
using std::swap_ranges;
using std::transform;
using std::transform_exclusive_scan;
using std::transform_inclusive_scan;
using std::transform_reduce;
using std::unique;
using std::unique_copy;
using weft::adjacent_difference;
using weft::adjacent_find;
using weft::all_of;
using weft::any_of;
using weft::contains;
using weft::copy;
using weft::copy_if;
using weft::copy_n;
using weft::count;
using weft::count_if;
using weft::ends_with;
using weft::equal;
using weft::exclusive_scan;
using weft::fill;
using weft::fill_n;
using weft::find;
using weft::find_end;
using weft::find_first_of;
using weft::find_if;
using weft::find_if_not;
using weft::for_each;
using weft::for_each_n;
using weft::generate;
using weft::generate_n;
using weft::includes;
using weft::inclusive_scan;
using weft::inplace_merge;
using weft::is_heap;
using weft::is_heap_until;
using weft::is_partitioned;
using weft::is_sorted;
using weft::is_sorted_until;
using weft::lexicographical_compare;
using weft::max_element;
using weft::merge;
using weft::min_element;
using weft::minmax_element;
using weft::mismatch;
using weft::move;
using weft::none_of;
using weft::nth_element;
using weft::partial_sort;
using weft::partial_sort_copy;
using weft::partition;
using weft::partition_copy;
using weft::reduce;
using weft::remove;
using weft::remove_copy;
using weft::remove_copy_if;
using weft::remove_if;
using weft::replace;
using weft::replace_copy;
using weft::replace_copy_if;
using weft::replace_if;
using weft::reverse;
using weft::reverse_copy;
using weft::rotate;
using weft::rotate_copy;
using weft::search;
using weft::search_n;
using weft::set_difference;
using weft::set_intersection;
using weft::set_symmetric_difference;
using weft::set_union;
using weft::shift_left;
using weft::shift_right;
using weft::sort;
using weft::stable_partition;
using weft::stable_sort;
using weft::starts_with;
using weft::swap_ranges;
using weft::transform;
using weft::transform_exclusive_scan;
using weft::transform_inclusive_scan;
using weft::transform_reduce;
using weft::unique;
using weft::unique_copy;

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

WEFT_HPX_RANGES_ALGORITHM(adjacent_find)
WEFT_HPX_RANGES_ALGORITHM(all_of)
WEFT_HPX_RANGES_ALGORITHM(any_of)
WEFT_HPX_RANGES_ALGORITHM(copy)
WEFT_HPX_RANGES_ALGORITHM(copy_if)
WEFT_HPX_RANGES_ALGORITHM(copy_n)
WEFT_HPX_RANGES_ALGORITHM(count)
WEFT_HPX_RANGES_ALGORITHM(count_if)
WEFT_HPX_RANGES_ALGORITHM(equal)
WEFT_HPX_RANGES_ALGORITHM(fill)
WEFT_HPX_RANGES_ALGORITHM(fill_n)
WEFT_HPX_RANGES_ALGORITHM(find)
WEFT_HPX_RANGES_ALGORITHM(find_end)
WEFT_HPX_RANGES_ALGORITHM(find_first_of)
WEFT_HPX_RANGES_ALGORITHM(find_if)
WEFT_HPX_RANGES_ALGORITHM(find_if_not)
WEFT_HPX_RANGES_ALGORITHM(for_each)
WEFT_HPX_RANGES_ALGORITHM(generate)
WEFT_HPX_RANGES_ALGORITHM(generate_n)
WEFT_HPX_RANGES_ALGORITHM(includes)
WEFT_HPX_RANGES_ALGORITHM(inplace_merge)
WEFT_HPX_RANGES_ALGORITHM(is_heap)
WEFT_HPX_RANGES_ALGORITHM(is_heap_until)
WEFT_HPX_RANGES_ALGORITHM(is_partitioned)
WEFT_HPX_RANGES_ALGORITHM(is_sorted)
WEFT_HPX_RANGES_ALGORITHM(is_sorted_until)
WEFT_HPX_RANGES_ALGORITHM(lexicographical_compare)
WEFT_HPX_RANGES_ALGORITHM(max)
WEFT_HPX_RANGES_ALGORITHM(max_element)
WEFT_HPX_RANGES_ALGORITHM(merge)
WEFT_HPX_RANGES_ALGORITHM(min)
WEFT_HPX_RANGES_ALGORITHM(min_element)
WEFT_HPX_RANGES_ALGORITHM(minmax)
WEFT_HPX_RANGES_ALGORITHM(minmax_element)
WEFT_HPX_RANGES_ALGORITHM(mismatch)
WEFT_HPX_RANGES_ALGORITHM(move)
WEFT_HPX_RANGES_ALGORITHM(none_of)
WEFT_HPX_RANGES_ALGORITHM(nth_element)
WEFT_HPX_RANGES_ALGORITHM(partial_sort)
WEFT_HPX_RANGES_ALGORITHM(partial_sort_copy)
WEFT_HPX_RANGES_ALGORITHM(partition)
WEFT_HPX_RANGES_ALGORITHM(partition_copy)
WEFT_HPX_RANGES_ALGORITHM(remove)
WEFT_HPX_RANGES_ALGORITHM(remove_copy)
WEFT_HPX_RANGES_ALGORITHM(remove_copy_if)
WEFT_HPX_RANGES_ALGORITHM(remove_if)
WEFT_HPX_RANGES_ALGORITHM(replace)
WEFT_HPX_RANGES_ALGORITHM(replace_copy)
WEFT_HPX_RANGES_ALGORITHM(replace_copy_if)
WEFT_HPX_RANGES_ALGORITHM(replace_if)
WEFT_HPX_RANGES_ALGORITHM(reverse)
WEFT_HPX_RANGES_ALGORITHM(reverse_copy)
WEFT_HPX_RANGES_ALGORITHM(rotate)
WEFT_HPX_RANGES_ALGORITHM(rotate_copy)
WEFT_HPX_RANGES_ALGORITHM(search)
WEFT_HPX_RANGES_ALGORITHM(search_n)
WEFT_HPX_RANGES_ALGORITHM(set_difference)
WEFT_HPX_RANGES_ALGORITHM(set_intersection)
WEFT_HPX_RANGES_ALGORITHM(set_symmetric_difference)
WEFT_HPX_RANGES_ALGORITHM(set_union)
WEFT_HPX_RANGES_ALGORITHM(sort)
WEFT_HPX_RANGES_ALGORITHM(stable_partition)
WEFT_HPX_RANGES_ALGORITHM(stable_sort)
WEFT_HPX_RANGES_ALGORITHM(swap_ranges)
WEFT_HPX_RANGES_ALGORITHM(transform)
WEFT_HPX_RANGES_ALGORITHM(unique)
WEFT_HPX_RANGES_ALGORITHM(unique_copy)

#undef WEFT_HPX_RANGES_ALGORITHM

}  // namespace ranges
}  // namespace hpx
