// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All algorithms of a library that has the standard's names, for the backends that are such a
// library.
//
// A backend defines, before it includes this file, the namespace `weft::lab::stl::library` that
// holds the algorithms, and the macro WEFT_STL_POLICY: what stands before the first argument of
// each call, comma included, or nothing. A call that the library does not have is not offered.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

// A macro, because a call has to stand twice: to ask whether it exists, and to make it.
// NOLINTBEGIN(bugprone-macro-parentheses): a member's name and a list of parameters take none
#define WEFT_STL_OFFER(algorithm, parameters, call)       \
  if constexpr (requires parameters { call; }) {          \
    offered.algorithm = [] parameters { return (call); }; \
  }
// NOLINTEND(bugprone-macro-parentheses)

namespace weft::lab::stl {

template <class T>
answer position_in(const T* first, const T* found) {
  return {.number = static_cast<std::size_t>(found - first)};
}

template <class Found>
answer positions_in(const auto* left, const auto* right, const Found& found) {
  const auto& [in_left, in_right] = found;
  return {.number = static_cast<std::size_t>(in_left - left),
          .second = static_cast<std::size_t>(in_right - right)};
}

template <class Number>
answer answer_of(Number number) {
  return {.number = static_cast<std::size_t>(number)};
}

template <class T, class Ends>
two_ends<T> ends_of(const Ends& ends) {
  const auto& [of_first, of_second] = ends;
  return {of_first, of_second};
}

/// Some libraries return the ends of input and output, others that of the output.
template <class T>
T* end_of_output(const std::pair<const T*, T*>& ends) {
  return ends.second;
}
template <class T>
T* end_of_output(T* end) {
  return end;
}

/// A fraction of a range. Units: elements.
inline std::ptrdiff_t part(std::size_t (*fraction)(std::size_t), std::ptrdiff_t size) {
  return static_cast<std::ptrdiff_t>(fraction(static_cast<std::size_t>(size)));
}

/// Algorithms that write every element of a range, whatever was in it.
template <class T>
void offer_fills(operations<T>& offered) {
  using kernels::as_marked;
  WEFT_STL_OFFER(touch,
                 (T * first, T * last),
                 (void)library::for_each(WEFT_STL_POLICY first, last, kernels::first_write{}))
  WEFT_STL_OFFER(destroy,
                 (T * first, T * last),
                 (library::destroy(WEFT_STL_POLICY as_marked(first), as_marked(last)), last))
  WEFT_STL_OFFER(destroy_n,
                 (T * first, T * last),
                 (library::destroy_n(WEFT_STL_POLICY as_marked(first), last - first), last))
  WEFT_STL_OFFER(fill,
                 (T * first, T * last),
                 (library::fill(WEFT_STL_POLICY first, last, kernels::filler<T>), last))
  WEFT_STL_OFFER(fill_n,
                 (T * first, T * last),
                 library::fill_n(WEFT_STL_POLICY first, last - first, kernels::filler<T>))
  WEFT_STL_OFFER(generate,
                 (T * first, T * last),
                 (library::generate(WEFT_STL_POLICY first, last, kernels::generated<T>{}), last))
  WEFT_STL_OFFER(generate_n,
                 (T * first, T * last),
                 library::generate_n(WEFT_STL_POLICY first, last - first, kernels::generated<T>{}))
  WEFT_STL_OFFER(
      uninitialized_default_construct,
      (T * first, T * last),
      (library::uninitialized_default_construct(WEFT_STL_POLICY as_marked(first), as_marked(last)),
       last))
  WEFT_STL_OFFER(
      uninitialized_default_construct_n,
      (T * first, T * last),
      (library::uninitialized_default_construct_n(WEFT_STL_POLICY as_marked(first), last - first),
       last))
  WEFT_STL_OFFER(
      uninitialized_fill,
      (T * first, T * last),
      (library::uninitialized_fill(WEFT_STL_POLICY first, last, kernels::filler<T>), last))
  WEFT_STL_OFFER(
      uninitialized_fill_n,
      (T * first, T * last),
      library::uninitialized_fill_n(WEFT_STL_POLICY first, last - first, kernels::filler<T>))
  WEFT_STL_OFFER(uninitialized_value_construct,
                 (T * first, T * last),
                 (library::uninitialized_value_construct(WEFT_STL_POLICY first, last), last))
  WEFT_STL_OFFER(uninitialized_value_construct_n,
                 (T * first, T * last),
                 library::uninitialized_value_construct_n(WEFT_STL_POLICY first, last - first))
  WEFT_STL_OFFER(for_each,
                 (T * first, T * last, std::size_t k_it),
                 (void)library::for_each(WEFT_STL_POLICY first, last, kernels::store_count{k_it}))
  WEFT_STL_OFFER(
      for_each_n,
      (T * first, T * last, std::size_t k_it),
      (void)library::for_each_n(WEFT_STL_POLICY first, last - first, kernels::store_count{k_it}))
}

/// Algorithms that change or reorder the elements of a range.
template <class T>
void offer_changes(operations<T>& offered) {
  using kernels::equals;
  using kernels::is_selected;
  using kernels::unwanted;
  using kernels::wanted;
  WEFT_STL_OFFER(
      remove, (T * first, T * last), library::remove(WEFT_STL_POLICY first, last, unwanted<T>))
  WEFT_STL_OFFER(remove_if,
                 (T * first, T * last),
                 library::remove_if(WEFT_STL_POLICY first, last, is_selected{}))
  WEFT_STL_OFFER(replace,
                 (T * first, T * last),
                 (library::replace(WEFT_STL_POLICY first, last, unwanted<T>, wanted<T>), last))
  WEFT_STL_OFFER(
      replace_if,
      (T * first, T * last),
      (library::replace_if(WEFT_STL_POLICY first, last, equals<T>{unwanted<T>}, wanted<T>), last))
  WEFT_STL_OFFER(
      reverse, (T * first, T * last), (library::reverse(WEFT_STL_POLICY first, last), last))
  WEFT_STL_OFFER(
      rotate,
      (T * first, T * last),
      library::rotate(WEFT_STL_POLICY first, first + part(kernels::rotated, last - first), last))
  WEFT_STL_OFFER(
      shift_left,
      (T * first, T * last),
      library::shift_left(WEFT_STL_POLICY first, last, part(kernels::shifted, last - first)))
  WEFT_STL_OFFER(
      shift_right,
      (T * first, T * last),
      library::shift_right(WEFT_STL_POLICY first, last, part(kernels::shifted, last - first)))
  WEFT_STL_OFFER(swap_ranges,
                 (T * left, T * left_last, T * right),
                 library::swap_ranges(WEFT_STL_POLICY left, left_last, right))
  WEFT_STL_OFFER(unique, (T * first, T * last), library::unique(WEFT_STL_POLICY first, last))
  WEFT_STL_OFFER(partition,
                 (T * first, T * last),
                 library::partition(WEFT_STL_POLICY first, last, is_selected{}))
  WEFT_STL_OFFER(stable_partition,
                 (T * first, T * last),
                 library::stable_partition(WEFT_STL_POLICY first, last, is_selected{}))
}

/// Algorithms that sort, and that need sorted ranges.
template <class T>
void offer_orders(operations<T>& offered) {
  using in = const T*;
  WEFT_STL_OFFER(inplace_merge,
                 (T * first, T * last),
                 (library::inplace_merge(
                      WEFT_STL_POLICY first, first + part(kernels::left_half, last - first), last),
                  last))
  WEFT_STL_OFFER(
      nth_element,
      (T * first, T * last),
      (library::nth_element(
           WEFT_STL_POLICY first, first + part(kernels::selected_rank, last - first), last),
       last))
  WEFT_STL_OFFER(
      partial_sort,
      (T * first, T * last),
      (library::partial_sort(
           WEFT_STL_POLICY first, first + part(kernels::num_smallest, last - first), last),
       last))
  WEFT_STL_OFFER(
      partial_sort_copy,
      (in first, in last, T * out),
      library::partial_sort_copy(
          WEFT_STL_POLICY first, last, out, out + part(kernels::num_smallest, last - first)))
  WEFT_STL_OFFER(sort, (T * first, T * last), library::sort(WEFT_STL_POLICY first, last))
  WEFT_STL_OFFER(
      stable_sort, (T * first, T * last), (library::stable_sort(WEFT_STL_POLICY first, last), last))
  WEFT_STL_OFFER(merge,
                 (in left, in left_last, in right, in right_last, T * out),
                 library::merge(WEFT_STL_POLICY left, left_last, right, right_last, out))
  WEFT_STL_OFFER(set_difference,
                 (in left, in left_last, in right, in right_last, T * out),
                 library::set_difference(WEFT_STL_POLICY left, left_last, right, right_last, out))
  WEFT_STL_OFFER(set_intersection,
                 (in left, in left_last, in right, in right_last, T * out),
                 library::set_intersection(WEFT_STL_POLICY left, left_last, right, right_last, out))
  WEFT_STL_OFFER(
      set_symmetric_difference,
      (in left, in left_last, in right, in right_last, T * out),
      library::set_symmetric_difference(WEFT_STL_POLICY left, left_last, right, right_last, out))
  WEFT_STL_OFFER(set_union,
                 (in left, in left_last, in right, in right_last, T * out),
                 library::set_union(WEFT_STL_POLICY left, left_last, right, right_last, out))
}

/// Algorithms that write another range, one element for each.
template <class T>
void offer_copies(operations<T>& offered) {
  using in = const T*;
  using kernels::equals;
  using kernels::unwanted;
  using kernels::wanted;
  WEFT_STL_OFFER(
      copy, (in first, in last, T * out), library::copy(WEFT_STL_POLICY first, last, out))
  WEFT_STL_OFFER(copy_n,
                 (in first, in last, T * out),
                 library::copy_n(WEFT_STL_POLICY first, last - first, out))
  WEFT_STL_OFFER(
      move, (in first, in last, T * out), library::move(WEFT_STL_POLICY first, last, out))
  WEFT_STL_OFFER(replace_copy,
                 (in first, in last, T * out),
                 library::replace_copy(WEFT_STL_POLICY first, last, out, unwanted<T>, wanted<T>))
  WEFT_STL_OFFER(
      replace_copy_if,
      (in first, in last, T * out),
      library::replace_copy_if(WEFT_STL_POLICY first, last, out, equals<T>{unwanted<T>}, wanted<T>))
  WEFT_STL_OFFER(reverse_copy,
                 (in first, in last, T * out),
                 library::reverse_copy(WEFT_STL_POLICY first, last, out))
  WEFT_STL_OFFER(
      rotate_copy,
      (in first, in last, T * out),
      library::rotate_copy(
          WEFT_STL_POLICY first, first + part(kernels::rotated, last - first), last, out))
  WEFT_STL_OFFER(transform,
                 (in first, in last, T * out),
                 library::transform(WEFT_STL_POLICY first, last, out, kernels::scale{}))
  WEFT_STL_OFFER(adjacent_difference,
                 (in first, in last, T * out),
                 library::adjacent_difference(WEFT_STL_POLICY first, last, out))
  WEFT_STL_OFFER(uninitialized_copy,
                 (in first, in last, T * out),
                 library::uninitialized_copy(WEFT_STL_POLICY first, last, out))
  WEFT_STL_OFFER(uninitialized_copy_n,
                 (in first, in last, T * out),
                 library::uninitialized_copy_n(WEFT_STL_POLICY first, last - first, out))
  WEFT_STL_OFFER(uninitialized_move,
                 (in first, in last, T * out),
                 library::uninitialized_move(WEFT_STL_POLICY first, last, out))
  WEFT_STL_OFFER(
      uninitialized_move_n,
      (in first, in last, T * out),
      end_of_output(library::uninitialized_move_n(WEFT_STL_POLICY first, last - first, out)))
}

/// Algorithms whose output depends on what came before: scans, and copies of some elements.
template <class T>
void offer_scans(operations<T>& offered) {
  using in = const T*;
  using plus = std::plus<T>;
  using kernels::is_selected;
  using kernels::negative;
  WEFT_STL_OFFER(inclusive_scan,
                 (in first, in last, T * out),
                 library::inclusive_scan(WEFT_STL_POLICY first, last, out))
  WEFT_STL_OFFER(exclusive_scan,
                 (in first, in last, T * out),
                 library::exclusive_scan(WEFT_STL_POLICY first, last, out, kernels::start<T>))
  WEFT_STL_OFFER(
      transform_inclusive_scan,
      (in first, in last, T * out),
      library::transform_inclusive_scan(WEFT_STL_POLICY first, last, out, plus{}, negative{}))
  WEFT_STL_OFFER(transform_exclusive_scan,
                 (in first, in last, T * out),
                 library::transform_exclusive_scan(
                     WEFT_STL_POLICY first, last, out, kernels::start<T>, plus{}, negative{}))
  WEFT_STL_OFFER(copy_if,
                 (in first, in last, T * out),
                 library::copy_if(WEFT_STL_POLICY first, last, out, is_selected{}))
  WEFT_STL_OFFER(remove_copy,
                 (in first, in last, T * out),
                 library::remove_copy(WEFT_STL_POLICY first, last, out, kernels::unwanted<T>))
  WEFT_STL_OFFER(remove_copy_if,
                 (in first, in last, T * out),
                 library::remove_copy_if(WEFT_STL_POLICY first, last, out, is_selected{}))
  WEFT_STL_OFFER(unique_copy,
                 (in first, in last, T * out),
                 library::unique_copy(WEFT_STL_POLICY first, last, out))
  WEFT_STL_OFFER(partition_copy,
                 (in first, in last, T * selected, T * others),
                 ends_of<T>(library::partition_copy(
                     WEFT_STL_POLICY first, last, selected, others, is_selected{})))
}

/// Algorithms that read all of a range.
template <class T>
void offer_reductions(operations<T>& offered) {
  using in = const T*;
  WEFT_STL_OFFER(count,
                 (in first, in last, T value),
                 answer_of(library::count(WEFT_STL_POLICY first, last, value)))
  WEFT_STL_OFFER(count_if,
                 (in first, in last, T),
                 answer_of(library::count_if(WEFT_STL_POLICY first, last, kernels::is_selected{})))
  WEFT_STL_OFFER(max_element,
                 (in first, in last, T),
                 position_in(first, library::max_element(WEFT_STL_POLICY first, last)))
  WEFT_STL_OFFER(min_element,
                 (in first, in last, T),
                 position_in(first, library::min_element(WEFT_STL_POLICY first, last)))
  WEFT_STL_OFFER(minmax_element,
                 (in first, in last, T),
                 positions_in(first, first, library::minmax_element(WEFT_STL_POLICY first, last)))
  WEFT_STL_OFFER(reduce, (in first, in last), library::reduce(WEFT_STL_POLICY first, last))
  WEFT_STL_OFFER(transform_reduce,
                 (in first, in last),
                 library::transform_reduce(
                     WEFT_STL_POLICY first, last, T{}, std::plus<T>{}, kernels::negative{}))
}

/// Algorithms that may stop before the end of their one range.
template <class T>
void offer_searches(operations<T>& offered) {
  using in = const T*;
  using kernels::differs;
  using kernels::equals;
  WEFT_STL_OFFER(adjacent_find,
                 (in first, in last, T),
                 position_in(first, library::adjacent_find(WEFT_STL_POLICY first, last)))
  WEFT_STL_OFFER(all_of,
                 (in first, in last, T value),
                 answer_of(library::all_of(WEFT_STL_POLICY first, last, differs<T>{value})))
  WEFT_STL_OFFER(any_of,
                 (in first, in last, T value),
                 answer_of(library::any_of(WEFT_STL_POLICY first, last, equals<T>{value})))
  WEFT_STL_OFFER(none_of,
                 (in first, in last, T value),
                 answer_of(library::none_of(WEFT_STL_POLICY first, last, equals<T>{value})))
  WEFT_STL_OFFER(
      find, (in first, in last, T value), library::find(WEFT_STL_POLICY first, last, value))
  WEFT_STL_OFFER(
      find_if,
      (in first, in last, T value),
      position_in(first, library::find_if(WEFT_STL_POLICY first, last, equals<T>{value})))
  WEFT_STL_OFFER(
      find_if_not,
      (in first, in last, T value),
      position_in(first, library::find_if_not(WEFT_STL_POLICY first, last, differs<T>{value})))
  WEFT_STL_OFFER(
      is_heap, (in first, in last, T), answer_of(library::is_heap(WEFT_STL_POLICY first, last)))
  WEFT_STL_OFFER(is_heap_until,
                 (in first, in last, T),
                 position_in(first, library::is_heap_until(WEFT_STL_POLICY first, last)))
  WEFT_STL_OFFER(
      is_partitioned,
      (in first, in last, T),
      answer_of(library::is_partitioned(WEFT_STL_POLICY first, last, kernels::is_selected{})))
  WEFT_STL_OFFER(
      is_sorted, (in first, in last, T), answer_of(library::is_sorted(WEFT_STL_POLICY first, last)))
  WEFT_STL_OFFER(is_sorted_until,
                 (in first, in last, T),
                 position_in(first, library::is_sorted_until(WEFT_STL_POLICY first, last)))
  WEFT_STL_OFFER(
      search_n,
      (in first, in last, T value),
      position_in(
          first,
          library::search_n(
              WEFT_STL_POLICY first, last, static_cast<int>(kernels::num_repetitions), value)))
}

/// Algorithms that compare two ranges, or look for one in the other.
template <class T>
void offer_comparisons(operations<T>& offered) {
  using in = const T*;
  WEFT_STL_OFFER(equal,
                 (in left, in left_last, in right, in right_last),
                 answer_of(library::equal(WEFT_STL_POLICY left, left_last, right, right_last)))
  WEFT_STL_OFFER(lexicographical_compare,
                 (in left, in left_last, in right, in right_last),
                 answer_of(library::lexicographical_compare(
                     WEFT_STL_POLICY left, left_last, right, right_last)))
  WEFT_STL_OFFER(
      mismatch,
      (in left, in left_last, in right, in right_last),
      positions_in(
          left, right, library::mismatch(WEFT_STL_POLICY left, left_last, right, right_last)))
  WEFT_STL_OFFER(includes,
                 (in left, in left_last, in right, in right_last),
                 answer_of(library::includes(WEFT_STL_POLICY left, left_last, right, right_last)))
  WEFT_STL_OFFER(
      find_end,
      (in left, in left_last, in right, in right_last),
      position_in(left, library::find_end(WEFT_STL_POLICY left, left_last, right, right_last)))
  WEFT_STL_OFFER(
      find_first_of,
      (in left, in left_last, in right, in right_last),
      position_in(left, library::find_first_of(WEFT_STL_POLICY left, left_last, right, right_last)))
  WEFT_STL_OFFER(
      search,
      (in left, in left_last, in right, in right_last),
      position_in(left, library::search(WEFT_STL_POLICY left, left_last, right, right_last)))
}

template <class T>
operations<T> library_operations() {
  operations<T> offered;
  offer_fills(offered);
  offer_changes(offered);
  offer_orders(offered);
  offer_copies(offered);
  offer_scans(offered);
  offer_reductions(offered);
  offer_searches(offered);
  offer_comparisons(offered);
  return offered;
}

}  // namespace weft::lab::stl
