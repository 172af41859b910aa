// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a backend can offer for one element type: one function pointer per operation, null means
// "not offered".
#pragma once

#include <cstddef>

namespace weft::lab::stl {

/// The parallel algorithms of one backend for elements of type T.
///
/// Ranges are raw pointers, half-open, and never overlap; outputs have room for every element.
/// The kernels and predicates are those of lab/stl/kernels.hpp, so that each backend inlines them.
/// Threads: called by one thread, inside `backend::with_threads`.
template <class T>
struct operations {
  /// Any algorithm that reads a range and writes another: returns the end of what it wrote.
  using one_to_one = T* (*)(const T* first, const T* last, T* out);

  /// Writes every element once, each by the thread that would process it (paper section 3.3).
  void (*touch)(T* first, T* last) = nullptr;
  /// Returns the first element equal to `value`, or `last`.
  const T* (*find)(const T* first, const T* last, T value) = nullptr;
  /// Applies `kernels::store_count` with `k_it` iterations to each element (paper Listing 1).
  void (*for_each)(T* first, T* last, std::size_t k_it) = nullptr;
  /// Writes the running sums.
  one_to_one inclusive_scan = nullptr;
  /// Returns the sum of the elements.
  T (*reduce)(const T* first, const T* last) = nullptr;
  /// Sorts ascending, in place.
  void (*sort)(T* first, T* last) = nullptr;
  one_to_one copy = nullptr;
  /// Copies the elements chosen by `kernels::is_selected`, in order.
  one_to_one copy_if = nullptr;
  /// Writes `kernels::scale` of each element.
  one_to_one transform = nullptr;
  /// Merges two sorted ranges.
  T* (*merge)(const T* left, const T* left_last, const T* right, const T* right_last, T* out) =
      nullptr;
};

}  // namespace weft::lab::stl
