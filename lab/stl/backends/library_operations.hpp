// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All algorithms of a library that uses the standard's names, for the backends of such libraries.
//
// Before it includes this file, a backend defines two names. The namespace
// `weft::lab::stl::library` contains the algorithms. The macro WEFT_STL_POLICY is the text before
// the first argument of each call, with its comma, or empty. Calls that the library lacks are not
// offered.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

// A macro, because each call is written twice: to test whether it compiles, and to make it.
// NOLINTBEGIN(bugprone-macro-parentheses): a member's name and a list of parameters take none
#define WEFT_STL_OFFER(algorithm, parameters, ...)               \
  if constexpr (requires parameters { __VA_ARGS__; }) {          \
    offered.algorithm = [] parameters { return (__VA_ARGS__); }; \
  }
// NOLINTEND(bugprone-macro-parentheses)

// The parameters of each type of operation.
#define WEFT_STL_OF_in_place (T * first, T * last)
#define WEFT_STL_OF_sorting (T * first, T * last)
#define WEFT_STL_OF_loop (T * first, T * last, std::size_t k_it)
#define WEFT_STL_OF_one_to_one (in first, in last, T * out)
#define WEFT_STL_OF_two_to_one (in left, in left_last, in right, in right_last, T * out)
#define WEFT_STL_OF_swapping (T * left, T * left_last, T * right)
#define WEFT_STL_OF_splitting (in first, in last, T * selected, T * others)
#define WEFT_STL_OF_query (in first, in last, [[maybe_unused]] T value)
#define WEFT_STL_OF_query_of_two (in left, in left_last, in right, in right_last)
#define WEFT_STL_OF_finding (in first, in last, T value)
#define WEFT_STL_OF_reduction (in first, in last)

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

/// Some libraries return the ends of input and output, others only the end of the output.
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

template <class T>
// NOLINTNEXTLINE(readability-function-cognitive-complexity): a branch for each row
operations<T> library_operations() {
  using in = const T*;
  using plus = std::plus<T>;
  using kernels::as_marked;
  using kernels::differs;
  using kernels::equals;
  using kernels::is_selected;
  using kernels::negative;
  using kernels::unwanted;
  using kernels::wanted;
  operations<T> offered;
#define WEFT_STL_OPERATION(type, name, ...) WEFT_STL_OFFER(name, WEFT_STL_OF_##type, __VA_ARGS__)
#include "lab/stl/operations.inc"
  WEFT_STL_OFFER(touch,
                 WEFT_STL_OF_sorting,
                 (void)library::for_each(WEFT_STL_POLICY first, last, kernels::first_write{}))
  return offered;
}

}  // namespace weft::lab::stl
