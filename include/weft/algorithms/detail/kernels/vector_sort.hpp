// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting and splitting of numbers with the widest vectors of the processor at hand.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace weft::algorithms::detail {

/// The types of the compiled kernels. A `long` and a `long long` are one kind.
enum class key_kind : unsigned char { none, i16, u16, i32, u32, i64, u64, f32, f64 };
enum class key_order : unsigned char { none, ascending, descending };

template <class T>
constexpr key_kind integer_kind() {
  constexpr bool is_signed = std::is_signed_v<T>;
  switch (sizeof(T)) {
    case 2:
      return is_signed ? key_kind::i16 : key_kind::u16;
    case 4:
      return is_signed ? key_kind::i32 : key_kind::u32;
    case 8:
      return is_signed ? key_kind::i64 : key_kind::u64;
    default:
      return key_kind::none;
  }
}

template <class T>
constexpr key_kind kind_of() {
  if constexpr (std::same_as<T, float> && sizeof(float) == 4) {
    return key_kind::f32;
  } else if constexpr (std::same_as<T, double> && sizeof(double) == 8) {
    return key_kind::f64;
  } else if constexpr (std::integral<T>) {
    return integer_kind<T>();
  } else {
    return key_kind::none;
  }
}

template <class Compare, class T>
constexpr key_order order_of() {
  using plain = std::remove_cvref_t<Compare>;
  if constexpr (std::same_as<plain, std::less<>> || std::same_as<plain, std::less<T>> ||
                std::same_as<plain, std::ranges::less>) {
    return key_order::ascending;
  } else if constexpr (std::same_as<plain, std::greater<>> ||
                       std::same_as<plain, std::greater<T>> ||
                       std::same_as<plain, std::ranges::greater>) {
    return key_order::descending;
  } else {
    return key_order::none;
  }
}

/// Numbers side by side in memory, in an order that the kernels know.
template <class It, class Compare>
inline constexpr bool is_vector_sortable =
    std::contiguous_iterator<It> && kind_of<std::iter_value_t<It>>() != key_kind::none &&
    order_of<Compare, std::iter_value_t<It>>() != key_order::none;

/// Two keys of 32 bits that are compared one after the other, and which of them have a sign.
struct key_pair {
  bool is_first_signed = false;
  bool is_second_signed = false;
};

/// Pairs of adjacent 32-bit integers that are compared in an order which the kernels know. The
/// kernels sort such a pair as one number of 64 bits.
template <class T>
inline constexpr bool is_key_pair = false;
template <std::integral First, std::integral Second>
inline constexpr bool is_key_pair<std::pair<First, Second>> =
    sizeof(First) == 4 && sizeof(Second) == 4 && sizeof(std::pair<First, Second>) == 8 &&
    !std::is_volatile_v<First> && !std::is_volatile_v<Second> &&
    std::endian::native == std::endian::little;
template <class Pair>
constexpr key_pair key_pair_of() {
  return {.is_first_signed = std::is_signed_v<typename Pair::first_type>,
          .is_second_signed = std::is_signed_v<typename Pair::second_type>};
}
template <class It, class Compare>
inline constexpr bool are_pairs_of_keys =
    std::contiguous_iterator<It> && is_key_pair<std::iter_value_t<It>> &&
    order_of<Compare, std::iter_value_t<It>>() != key_order::none;

/// Which keys a split moves to the front, compared with its pivot.
enum class split_side : unsigned char { less, less_equal, greater, greater_equal };

[[nodiscard]] constexpr split_side side_of(key_order order, bool with_equal) noexcept {
  if (order == key_order::descending) {
    return with_equal ? split_side::greater_equal : split_side::greater;
  }
  return with_equal ? split_side::less_equal : split_side::less;
}

/// Sorts `n` keys of that kind; which of equal keys comes first is left open (0.0 and -0.0).
void vector_sort(void* keys, std::size_t n, key_kind kind, key_order order) noexcept;

/// Moves the keys on that side of `*pivot` to the front and returns how many there are.
[[nodiscard]] std::size_t vector_split(
    void* keys, std::size_t n, key_kind kind, split_side side, const void* pivot) noexcept;

/// The number of keys from which on a kernel is faster than std::sort. New keys need about 50. The
/// same keys sorted repeatedly need about 150, because all branches are predicted.
inline constexpr std::size_t vector_sort_from = 96;

class loop_policy;

/// Sorts `n` keys of that kind, by all that come.
void sort_numbers(
    const loop_policy& how, void* keys, std::size_t n, key_kind kind, key_order order);

/// Sorts `n` pairs of keys, by all that come.
void sort_pairs_of_keys(
    const loop_policy& how, void* pairs, std::size_t n, key_pair kinds, key_order order);

/// Sorts a few keys of that kind.
template <key_kind kind, key_order order>
void sort_few_keys(void* keys, std::size_t n) noexcept;

template <class Compare, class It>
void vector_sort(It first, std::size_t n) noexcept {
  using value = std::iter_value_t<It>;
  vector_sort(std::to_address(first), n, kind_of<value>(), order_of<Compare, value>());
}

/// The same for less than `vector_sort_from`.
template <class Compare, class It>
void sort_few_numbers(It first, std::size_t n) noexcept {
  using value = std::iter_value_t<It>;
  sort_few_keys<kind_of<value>(), order_of<Compare, value>()>(std::to_address(first), n);
}

}  // namespace weft::algorithms::detail
