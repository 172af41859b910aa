// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices of random-access ranges, by which an algorithm assigns chunks of an iterator range.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::algorithms::detail {

/// Iterators whose places may be visited again: also those that only lack C++20's tag, as
/// `std::move_iterator` and iterators that compute their elements and can index.
template <class It>
concept multipass_iterator =
    std::forward_iterator<It> ||
    (std::input_iterator<It> && std::sentinel_for<It, It> &&
     (std::derived_from<typename std::iterator_traits<It>::iterator_category,
                        std::forward_iterator_tag> ||
      requires(const It& it, std::iter_difference_t<It> n) {
        { it + n } -> std::same_as<It>;
        { it - it } -> std::convertible_to<std::iter_difference_t<It>>;
      }));

template <class It>
inline constexpr bool is_move_iterator = false;
template <class It>
inline constexpr bool is_move_iterator<std::move_iterator<It>> = true;

/// Iterators that can index elements which reading leaves as they are.
template <class It>
concept indexed_iterator =
    std::random_access_iterator<It> && !std::is_rvalue_reference_v<std::iter_reference_t<It>>;

/// Iterators whose elements may be moved to each other's places. Iterators that compute their
/// elements do not qualify: assigning to a computed class object compiles but changes nothing.
template <class It>
concept moves_within = (std::is_lvalue_reference_v<std::iter_reference_t<It>> ||
                        std::is_same_v<std::iter_reference_t<It>, std::vector<bool>::reference> ||
                        std::indirectly_writable<It, std::iter_rvalue_reference_t<It>>) &&
                       requires(const It& it) { *it = std::ranges::iter_move(it); };

/// Whether an algorithm over these iterators assigns chunks: the policy allows it and every
/// position can be reached in one step. Otherwise the calling thread does all, in order.
template <class How, class... It>
inline constexpr bool is_shared =
    (How::is_parallel || How::is_vectorized) && (indexed_iterator<It> && ...);

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
