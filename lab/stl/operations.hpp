// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations that a backend can offer for one element type: a function pointer each, null if
// not offered.
#pragma once

#include <cstddef>

namespace weft::lab::stl {

/// An algorithm's answer about its input: a position (the index, or the size for "nowhere"), a
/// count or a truth (0 or 1). `second` is for algorithms that return two positions.
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
  /// An algorithm that changes a range: returns the end of the remaining elements, `last` if all
  /// remain.
  using in_place = T* (*)(T* first, T* last);
  /// An algorithm that reads a range and writes another: returns the end of its output.
  using one_to_one = T* (*)(in first, in last, T* out);
  /// An algorithm that reads two ranges and writes a third: returns the end of its output.
  using two_to_one = T* (*)(in left, in left_last, in right, in right_last, T* out);
  /// A question about a range; questions about a value are about `value`.
  using query = answer (*)(in first, in last, T value);
  /// A question about two ranges.
  using query_of_two = answer (*)(in left, in left_last, in right, in right_last);
  /// An algorithm that calls `kernels::store_count` with `k_it` iterations for each element (paper
  /// Listing 1).
  using loop = void (*)(T* first, T* last, std::size_t k_it);
  using sorting = void (*)(T* first, T* last);
  using swapping = T* (*)(T* left, T* left_last, T* right);
  using splitting = two_ends<T> (*)(in first, in last, T* selected, T* others);
  using finding = in (*)(in first, in last, T value);
  using reduction = T (*)(in first, in last);

#define WEFT_STL_OPERATION(type, name, ...) type name = nullptr;
#include "lab/stl/operations.inc"

  // Operations that are not in the standard.

  /// Writes every element once, each by the thread that would process it (paper section 3.3).
  sorting touch = nullptr;
  /// Writes how many elements fall into each of the bins of `kernels::bin_of`.
  void (*histogram)(in first, in last, std::size_t* counts) = nullptr;
  /// Writes the key of each run of equal keys, and the sum of the run's values.
  two_ends<T> (*reduce_by_key)(in first, in last, in values, T* keys_out, T* sums_out) = nullptr;
  /// The inclusive scan of `kernels::slowly_negative` over forward iterators.
  one_to_one walked_scan = nullptr;
  /// Sorts by `kernels::precedes`, with only a small amount of memory that grows with the range.
  void (*sort_in_place)(T* first, T* last) = nullptr;
  /// Sorts keys ascending, and moves each value of the range from `values` on together with its
  /// key.
  void (*sort_by_key)(T* first, T* last, T* values) = nullptr;
};

}  // namespace weft::lab::stl
