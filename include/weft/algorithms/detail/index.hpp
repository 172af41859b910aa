// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices of random-access ranges: what lets an algorithm hand out chunks of an iterator range.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace weft::algorithms::detail {

/// Whether an algorithm over these iterators hands out chunks: the policy allows it and every
/// position can be reached at once. Otherwise the caller does all, in order.
template <class How, class... It>
inline constexpr bool is_shared =
    (How::is_parallel || How::is_vectorized) && (std::random_access_iterator<It> && ...);

template <std::random_access_iterator It>
[[nodiscard]] constexpr std::size_t size_between(const It& first, const It& last) {
  return static_cast<std::size_t>(last - first);
}

template <class It>
[[nodiscard]] constexpr It advanced(const It& it, std::size_t n) {
  return it + static_cast<std::iter_difference_t<It>>(n);
}

template <std::random_access_iterator It>
[[nodiscard]] constexpr It iterator_at(const It& first, std::size_t i) {
  return first + static_cast<std::iter_difference_t<It>>(i);
}

template <std::random_access_iterator It>
[[nodiscard]] constexpr decltype(auto) element_at(const It& first, std::size_t i) {
  return first[static_cast<std::iter_difference_t<It>>(i)];
}

/// Bytes that an algorithm reads for each element of all these ranges together.
template <class... It>
inline constexpr std::size_t bytes_of = (std::size_t{0} + ... + sizeof(std::iter_value_t<It>));

/// A callable that is not copied where the standard library takes one by value.
template <class F>
struct reference_to {
  std::remove_reference_t<F>& call;
  template <class... Args>
  constexpr decltype(auto) operator()(Args&&... args) const {
    return call(std::forward<Args>(args)...);
  }
};

/// The opposite of a predicate that lives elsewhere.
template <class F>
struct negated {
  std::remove_reference_t<F>& call;
  template <class... Args>
  constexpr bool operator()(Args&&... args) const {
    return !static_cast<bool>(call(std::forward<Args>(args)...));
  }
};

}  // namespace weft::algorithms::detail
