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

/// Orders ascending. For a library it is a user's comparison, so it cannot recognise the keys.
struct precedes {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};

/// Writes an element, so that its page is placed near the thread that runs this.
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

/// Returns -x, exact for every element.
struct negative {
  template <class T>
  T operator()(const T& element) const {
    return -element;
  }
};

/// Returns -x after some time: the bound is volatile, see `store_count`.
struct slowly_negative {
  template <class T>
  T operator()(const T& element) const {
    const volatile int bound = 32;
    T count{};
    for (int i = 0; i < bound; ++i) {
      ++count;
    }
    return count == T{32} ? -element : element;
  }
};

/// Chooses the elements that equal one value.
template <class T>
struct equals {
  T value;

  bool operator()(const T& element) const { return element == value; }
};

/// Chooses the elements that differ from one value.
template <class T>
struct differs {
  T value;

  bool operator()(const T& element) const { return !(element == value); }
};

/// Returns the same element at every call.
template <class T>
struct generated {
  T operator()() const { return T{43}; }
};

/// An element whose constructor and destructor write values that a checker can see.
template <class T>
struct marked {
  static constexpr T constructed = T{44};
  static constexpr T destroyed = T{45};

  marked() : value(constructed) {}
  marked(const marked&) = default;
  marked& operator=(const marked&) = default;
  /// The store is volatile: otherwise the compiler may remove it, since the element's lifetime
  /// ends.
  ~marked() { *static_cast<volatile T*>(&value) = destroyed; }

  T value;
};

/// Accesses the elements of an array as elements that mark it.
template <class T>
marked<T>* as_marked(T* elements) {
  static_assert(sizeof(marked<T>) == sizeof(T));
  return reinterpret_cast<marked<T>*>(elements);
}

/// The value that fills write.
template <class T>
inline constexpr T filler = T{42};
/// The value that is removed, replaced or counted, and its replacement.
template <class T>
inline constexpr T unwanted = T{3};
template <class T>
inline constexpr T wanted = T{9};
/// The start value of an exclusive scan.
template <class T>
inline constexpr T start = T{1};

/// The number of bins of a histogram: of width 1, from 0 on.
inline constexpr std::size_t num_bins = 256;

/// Returns the number of an element's bin, for elements from 0 to `num_bins`.
struct bin_of {
  template <class T>
  std::size_t operator()(const T& element) const {
    return static_cast<std::size_t>(element);
  }
};

/// The number of repetitions that `search_n` looks for.
inline constexpr std::size_t num_repetitions = 4;

/// Units: elements, of a range of `size`.
constexpr std::size_t rotated(std::size_t size) { return size / 3; }
constexpr std::size_t shifted(std::size_t size) { return size / 4; }
constexpr std::size_t selected_rank(std::size_t size) { return size / 3; }
constexpr std::size_t num_smallest(std::size_t size) { return (size + 7) / 8; }
constexpr std::size_t left_half(std::size_t size) { return size / 2; }

}  // namespace weft::lab::stl::kernels
