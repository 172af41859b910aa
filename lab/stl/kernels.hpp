// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function objects every backend applies: one definition, inlined into each backend.
#pragma once

#include <cstddef>

namespace weft::lab::stl::kernels {

/// Counts to `k_it` one step at a time and stores the count.
///
/// The bound is volatile so that no compiler can replace the loop by its result.
/// Source: Laso, Krupitza, Hunold, "Exploring Scalability in C++ Parallel STL Implementations",
///         ICPP 2024, Listing 1.
struct store_count {
  std::size_t k_it = 1;

  template <class T>
  void operator()(T& element) const {
    const volatile std::size_t bound = k_it;
    T count{};
    for (std::size_t i = 0; i < bound; ++i) {
      ++count;
    }
    element = count;
  }
};

/// Writes an element, so that its page belongs to the thread that runs this.
struct first_write {
  template <class T>
  void operator()(T& element) const {
    element = T{};
  }
};

/// Chooses the negative elements.
struct is_selected {
  template <class T>
  bool operator()(const T& element) const {
    return element < T{};
  }
};

/// Returns 2x + 1, exact for every element of the suite's inputs (with or without fused
/// multiply-add).
struct scale {
  template <class T>
  T operator()(const T& element) const {
    return element + element + T{1};
  }
};

}  // namespace weft::lab::stl::kernels
