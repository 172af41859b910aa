// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled loops over contiguous numbers, which pick the widest instructions of the machine.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <type_traits>

namespace weft::algorithms::detail::kernels {

/// Fewer elements than this are not worth a call that is not inlined.
inline constexpr std::size_t least_elements = 32;

// Positions are counted from `data`; a search that finds nothing returns `n`. None may be called
// with n = 0 where it returns a value. `find_ends` finds the first of n places that holds `front`
// and, `size` - 1 elements later, `back`. `behind_last` returns one more than the last position
// that passes, or 0.
#define WEFT_DECLARE_EQUALITY_KERNELS(number)                                                     \
  [[nodiscard]] std::size_t find_equal(const number* data, std::size_t n, number value);          \
  [[nodiscard]] std::size_t behind_last_equal(const number* data, std::size_t n, number value);   \
  [[nodiscard]] std::size_t behind_last_ends(                                                     \
      const number* data, std::size_t n, std::size_t size, number front, number back);            \
  [[nodiscard]] std::size_t count_equal(const number* data, std::size_t n, number value);         \
  [[nodiscard]] std::size_t find_pair_equal(const number* a, const number* b, std::size_t n);     \
  [[nodiscard]] std::size_t find_pair_different(const number* a, const number* b, std::size_t n); \
  [[nodiscard]] std::size_t find_ends(                                                            \
      const number* data, std::size_t n, std::size_t size, number front, number back)
#define WEFT_DECLARE_ORDER_KERNELS(number)                                                   \
  [[nodiscard]] std::size_t find_pair_less(const number* a, const number* b, std::size_t n); \
  [[nodiscard]] number least(const number* data, std::size_t n);                             \
  [[nodiscard]] number greatest(const number* data, std::size_t n)
#define WEFT_DECLARE_SUM_KERNEL(number) [[nodiscard]] number sum(const number* data, std::size_t n)
#define WEFT_DECLARE_DOT_KERNEL(number) \
  [[nodiscard]] number dot(const number* a, const number* b, std::size_t n)

WEFT_DECLARE_EQUALITY_KERNELS(std::uint8_t);
WEFT_DECLARE_EQUALITY_KERNELS(std::uint16_t);
WEFT_DECLARE_EQUALITY_KERNELS(std::uint32_t);
WEFT_DECLARE_EQUALITY_KERNELS(std::uint64_t);
WEFT_DECLARE_EQUALITY_KERNELS(float);
WEFT_DECLARE_EQUALITY_KERNELS(double);
WEFT_DECLARE_ORDER_KERNELS(std::int32_t);
WEFT_DECLARE_ORDER_KERNELS(std::uint32_t);
WEFT_DECLARE_ORDER_KERNELS(std::int64_t);
WEFT_DECLARE_ORDER_KERNELS(std::uint64_t);
WEFT_DECLARE_ORDER_KERNELS(float);
WEFT_DECLARE_ORDER_KERNELS(double);
WEFT_DECLARE_SUM_KERNEL(std::uint32_t);
WEFT_DECLARE_SUM_KERNEL(std::uint64_t);
WEFT_DECLARE_SUM_KERNEL(float);
WEFT_DECLARE_SUM_KERNEL(double);
WEFT_DECLARE_DOT_KERNEL(float);
WEFT_DECLARE_DOT_KERNEL(double);

#undef WEFT_DECLARE_EQUALITY_KERNELS
#undef WEFT_DECLARE_ORDER_KERNELS
#undef WEFT_DECLARE_SUM_KERNEL
#undef WEFT_DECLARE_DOT_KERNEL

template <std::size_t bytes, bool is_signed>
struct integer_of;
template <>
struct integer_of<1, false> : std::type_identity<std::uint8_t> {};
template <>
struct integer_of<2, false> : std::type_identity<std::uint16_t> {};
template <>
struct integer_of<4, false> : std::type_identity<std::uint32_t> {};
template <>
struct integer_of<8, false> : std::type_identity<std::uint64_t> {};
template <>
struct integer_of<4, true> : std::type_identity<std::int32_t> {};
template <>
struct integer_of<8, true> : std::type_identity<std::int64_t> {};

template <class Number>
inline constexpr bool is_kernel_float = std::same_as<Number, float> || std::same_as<Number, double>;

template <class Number, bool is_signed>
struct kernel_number : integer_of<sizeof(Number), is_signed> {};
template <>
struct kernel_number<float, false> : std::type_identity<float> {};
template <>
struct kernel_number<double, false> : std::type_identity<double> {};
template <>
struct kernel_number<float, true> : std::type_identity<float> {};
template <>
struct kernel_number<double, true> : std::type_identity<double> {};

/// What changes no number when it is added: +0.0 would change -0.0.
template <class Number>
inline constexpr auto nothing_to_add = static_cast<Number>(-Number{});

/// Numbers that the equality kernels compare: whole numbers bit by bit, as if unsigned.
template <class Number>
concept comparable = is_kernel_float<Number> ||
                     (std::integral<Number> && !std::same_as<Number, bool> && sizeof(Number) <= 8);

/// Numbers that the order kernels compare.
template <class Number>
concept ordered = is_kernel_float<Number> || (comparable<Number> && sizeof(Number) >= 4);

template <class Number>
using equality_number = typename kernel_number<Number, false>::type;
template <class Number>
using order_number =
    typename kernel_number<Number, std::is_signed_v<Number> && std::integral<Number>>::type;

/// The elements as a kernel declares them: the same width and, for the order, the same sign.
template <class KernelNumber, std::contiguous_iterator It>
[[nodiscard]] const KernelNumber* data_of(It first) {
  // Types of one width are read, never written, by code that is compiled apart.
  return reinterpret_cast<const KernelNumber*>(std::to_address(first));
}

/// `Predicate` compares two `Number` with `==`.
template <class Predicate, class Number>
inline constexpr bool is_equality =
    std::same_as<Predicate, std::equal_to<>> || std::same_as<Predicate, std::equal_to<Number>> ||
    std::same_as<Predicate, std::ranges::equal_to>;
/// `Compare` compares two `Number` with `<`.
template <class Compare, class Number>
inline constexpr bool is_less =
    std::same_as<Compare, std::less<>> || std::same_as<Compare, std::less<Number>> ||
    std::same_as<Compare, std::ranges::less>;
/// `Compare` compares two `Number` with `>`.
template <class Compare, class Number>
inline constexpr bool is_greater =
    std::same_as<Compare, std::greater<>> || std::same_as<Compare, std::greater<Number>> ||
    std::same_as<Compare, std::ranges::greater>;
/// `Op` adds two `Number`.
template <class Op, class Number>
inline constexpr bool is_plus =
    std::same_as<Op, std::plus<>> || std::same_as<Op, std::plus<Number>>;
/// `Op` multiplies two `Number`.
template <class Op, class Number>
inline constexpr bool is_multiplies =
    std::same_as<Op, std::multiplies<>> || std::same_as<Op, std::multiplies<Number>>;

/// Whether elements may be read as often and as wide as pleases.
template <class It>
inline constexpr bool is_plainly_read =
    !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<It>>>;

/// Iterators over contiguous numbers that the equality kernels take.
template <class It>
inline constexpr bool has_equality_kernels = false;
template <std::contiguous_iterator It>
inline constexpr bool has_equality_kernels<It> =
    comparable<std::iter_value_t<It>> && is_plainly_read<It>;
/// Iterators over contiguous numbers that the order kernels take.
template <class It>
inline constexpr bool has_order_kernels = false;
template <std::contiguous_iterator It>
inline constexpr bool has_order_kernels<It> = ordered<std::iter_value_t<It>> && is_plainly_read<It>;
}  // namespace weft::algorithms::detail::kernels
