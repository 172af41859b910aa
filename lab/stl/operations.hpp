// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a backend can offer for one element type: one function pointer per operation, null means
// "not offered".
#pragma once

#include <cstddef>

namespace weft::lab::stl {

/// What an algorithm says of its input: a position (the index, or the size for "nowhere"), a count
/// or a truth (0 or 1); `second` is for the algorithms that return two positions.
struct answer {
  std::size_t number = 0;
  std::size_t second = 0;

  friend bool operator==(const answer&, const answer&) = default;
};

/// The ends of two outputs.
template <class T>
struct two_ends {
  T* of_first;
  T* of_second;
};

/// The parallel algorithms of one backend for elements of type T.
///
/// Ranges are raw pointers, half-open, and never overlap; outputs have room for every element.
/// The kernels, predicates and fractions are those of lab/stl/kernels.hpp, so that each backend
/// inlines them.
/// Threads: called by one thread, inside `backend::with_threads`.
template <class T>
struct operations {
  using in = const T*;
  /// Any algorithm that changes a range: returns the end of what remains, `last` if all does.
  using in_place = T* (*)(T* first, T* last);
  /// Any algorithm that reads a range and writes another: returns the end of what it wrote.
  using one_to_one = T* (*)(in first, in last, T* out);
  /// Any algorithm that reads two ranges and writes a third: returns the end of what it wrote.
  using two_to_one = T* (*)(in left, in left_last, in right, in right_last, T* out);
  /// Any question about a range; those that look for a value look for `value`.
  using query = answer (*)(in first, in last, T value);
  /// Any question about two ranges.
  using query_of_two = answer (*)(in left, in left_last, in right, in right_last);
  /// Any algorithm that calls `kernels::store_count` with `k_it` iterations for each element (paper
  /// Listing 1).
  using loop = void (*)(T* first, T* last, std::size_t k_it);

  /// Writes every element once, each by the thread that would process it (paper section 3.3).
  void (*touch)(T* first, T* last) = nullptr;

  in_place destroy = nullptr;
  in_place destroy_n = nullptr;
  in_place fill = nullptr;
  in_place fill_n = nullptr;
  in_place generate = nullptr;
  in_place generate_n = nullptr;
  in_place inplace_merge = nullptr;
  in_place nth_element = nullptr;
  in_place partial_sort = nullptr;
  in_place partition = nullptr;
  in_place remove = nullptr;
  in_place remove_if = nullptr;
  in_place replace = nullptr;
  in_place replace_if = nullptr;
  in_place reverse = nullptr;
  in_place rotate = nullptr;
  in_place shift_left = nullptr;
  /// Returns the begin of what remains.
  in_place shift_right = nullptr;
  /// Sorts ascending.
  void (*sort)(T* first, T* last) = nullptr;
  in_place stable_partition = nullptr;
  in_place stable_sort = nullptr;
  in_place uninitialized_default_construct = nullptr;
  in_place uninitialized_default_construct_n = nullptr;
  in_place uninitialized_fill = nullptr;
  in_place uninitialized_fill_n = nullptr;
  in_place uninitialized_value_construct = nullptr;
  in_place uninitialized_value_construct_n = nullptr;
  in_place unique = nullptr;

  loop for_each = nullptr;
  loop for_each_n = nullptr;

  one_to_one adjacent_difference = nullptr;
  one_to_one copy = nullptr;
  one_to_one copy_if = nullptr;
  one_to_one copy_n = nullptr;
  one_to_one exclusive_scan = nullptr;
  one_to_one inclusive_scan = nullptr;
  one_to_one move = nullptr;
  one_to_one partial_sort_copy = nullptr;
  one_to_one remove_copy = nullptr;
  one_to_one remove_copy_if = nullptr;
  one_to_one replace_copy = nullptr;
  one_to_one replace_copy_if = nullptr;
  one_to_one reverse_copy = nullptr;
  one_to_one rotate_copy = nullptr;
  /// Writes `kernels::scale` of each element.
  one_to_one transform = nullptr;
  one_to_one transform_exclusive_scan = nullptr;
  one_to_one transform_inclusive_scan = nullptr;
  one_to_one uninitialized_copy = nullptr;
  one_to_one uninitialized_copy_n = nullptr;
  one_to_one uninitialized_move = nullptr;
  one_to_one uninitialized_move_n = nullptr;
  one_to_one unique_copy = nullptr;

  T* (*swap_ranges)(T* left, T* left_last, T* right) = nullptr;
  two_ends<T> (*partition_copy)(in first, in last, T* selected, T* others) = nullptr;

  two_to_one merge = nullptr;
  two_to_one set_difference = nullptr;
  two_to_one set_intersection = nullptr;
  two_to_one set_symmetric_difference = nullptr;
  two_to_one set_union = nullptr;

  query adjacent_find = nullptr;
  query all_of = nullptr;
  query any_of = nullptr;
  query count = nullptr;
  query count_if = nullptr;
  /// Returns the first element equal to `value`, or `last`.
  in (*find)(in first, in last, T value) = nullptr;
  query find_if = nullptr;
  query find_if_not = nullptr;
  query is_heap = nullptr;
  query is_heap_until = nullptr;
  query is_partitioned = nullptr;
  query is_sorted = nullptr;
  query is_sorted_until = nullptr;
  query max_element = nullptr;
  query min_element = nullptr;
  query minmax_element = nullptr;
  query none_of = nullptr;
  query search_n = nullptr;

  query_of_two equal = nullptr;
  query_of_two find_end = nullptr;
  query_of_two find_first_of = nullptr;
  query_of_two includes = nullptr;
  query_of_two lexicographical_compare = nullptr;
  query_of_two mismatch = nullptr;
  query_of_two search = nullptr;

  /// Returns the sum of the elements.
  T (*reduce)(in first, in last) = nullptr;
  /// Returns the sum of `kernels::negative` of the elements.
  T (*transform_reduce)(in first, in last) = nullptr;

  // Beyond the standard.

  /// Writes how many elements fall into each of the bins of `kernels::bin_of`.
  void (*histogram)(in first, in last, std::size_t* counts) = nullptr;
  /// Writes the key of each run of equal keys, and the sum of the run's values.
  two_ends<T> (*reduce_by_key)(in first, in last, in values, T* keys_out, T* sums_out) = nullptr;
  /// The inclusive scan of `kernels::slowly_negative` of elements that can only be walked.
  one_to_one walked_scan = nullptr;
  /// Sorts by `kernels::precedes`, without memory that grows with the range but for a small part of
  /// it.
  void (*sort_in_place)(T* first, T* last) = nullptr;
  /// Sorts keys ascending, and moves each value of the range from `values` on with its key.
  void (*sort_by_key)(T* first, T* last, T* values) = nullptr;
};

}  // namespace weft::lab::stl
