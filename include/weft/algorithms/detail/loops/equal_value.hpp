// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where, and how often, a value stands in a chunk: by a compiled kernel where numbers allow it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <type_traits>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/number_kernels.hpp"

namespace weft::algorithms::detail {

/// Elements and a value whose `==` is that of the elements' type, or of whole numbers.
template <class It, class T>
inline constexpr bool is_kernel_value = false;
template <std::contiguous_iterator It, class T>
  requires(kernels::has_equality_kernels<It> && std::is_arithmetic_v<T>)
inline constexpr bool is_kernel_value<It, T> =
    std::same_as<std::common_type_t<std::iter_value_t<It>, T>, std::iter_value_t<It>> ||
    (std::integral<std::iter_value_t<It>> && std::integral<T>);

/// The element that equals `value`; empty: no element can.
template <class Element, class T>
[[nodiscard]] constexpr std::optional<kernels::equality_number<Element>> kernel_value(T value) {
  using common = std::common_type_t<Element, T>;
  const Element element = static_cast<Element>(value);
  if constexpr (std::integral<Element> && !std::same_as<common, Element>) {
    if (static_cast<common>(element) != static_cast<common>(value)) {
      return std::nullopt;
    }
  }
  return static_cast<kernels::equality_number<Element>>(element);
}

/// The index of the first element of [begin, end) that equals `value`, or `end`.
template <class It, class T>
[[nodiscard]] std::size_t first_equal(const It& first,
                                      std::size_t begin,
                                      std::size_t end,
                                      const T& value) {
  if constexpr (is_kernel_value<It, T>) {
    using element = std::iter_value_t<It>;
    if (end - begin >= kernels::least_elements) {
      const auto same = kernel_value<element>(value);
      const auto* const data = kernels::data_of<kernels::equality_number<element>>(first);
      return same ? begin + kernels::find_equal(data + begin, end - begin, *same) : end;
    }
  }
  return size_between(first, std::find(iterator_at(first, begin), iterator_at(first, end), value));
}

/// How many elements of [begin, end) equal `value`.
template <class It, class T>
[[nodiscard]] std::size_t num_equal(It first, std::size_t begin, std::size_t end, const T& value) {
  if constexpr (is_kernel_value<It, T>) {
    using element = std::iter_value_t<It>;
    if (end - begin >= kernels::least_elements) {
      const auto same = kernel_value<element>(value);
      const auto* const data = kernels::data_of<kernels::equality_number<element>>(first);
      return same ? kernels::count_equal(data + begin, end - begin, *same) : 0;
    }
  }
  return static_cast<std::size_t>(
      std::count(iterator_at(first, begin), iterator_at(first, end), value));
}

}  // namespace weft::algorithms::detail
