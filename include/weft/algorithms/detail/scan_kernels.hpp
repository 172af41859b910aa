// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled running sums of contiguous numbers, which pick the widest instructions of the machine.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weft::algorithms::detail::kernels {

/// Numbers behind each other, and where their running sums go: the same place, or one apart.
template <class Number>
struct scan_range {
  const Number* from;
  Number* to;
  std::size_t n;
};

// Writes the sums of `before` and all numbers up to each place, with the number there or without
// it, and returns the sum of all. Whole numbers wrap around; others are grouped as the vectors of
// the machine are.
#define WEFT_DECLARE_SCAN_KERNELS(number)                                              \
  [[nodiscard]] number inclusive_sums(const scan_range<number>& range, number before); \
  [[nodiscard]] number exclusive_sums(const scan_range<number>& range, number before)

WEFT_DECLARE_SCAN_KERNELS(std::uint32_t);
WEFT_DECLARE_SCAN_KERNELS(std::uint64_t);
WEFT_DECLARE_SCAN_KERNELS(float);
WEFT_DECLARE_SCAN_KERNELS(double);

#undef WEFT_DECLARE_SCAN_KERNELS

template <class T>
struct scan_number : std::type_identity<void> {};
template <std::floating_point T>
struct scan_number<T> : std::type_identity<T> {};
/// Those that are signed or unsigned: characters of more bytes may not be written as such integers.
template <std::integral T>
  requires(!std::same_as<T, bool> && !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
           !std::same_as<T, char16_t> && !std::same_as<T, char32_t>)
struct scan_number<T> : std::make_unsigned<T> {};

/// Numbers that the scan kernels add: those whose elements may be written as what a kernel writes.
template <class T>
concept scannable = std::same_as<typename scan_number<T>::type, std::uint32_t> ||
                    std::same_as<typename scan_number<T>::type, std::uint64_t> ||
                    std::same_as<T, float> || std::same_as<T, double>;

/// The running sums of `n` numbers behind `before`; returns the sum of all.
template <bool is_inclusive, scannable T>
[[nodiscard]] T running_sums(const T* from, std::size_t n, T* to, T before) {
  using number = typename scan_number<T>::type;
  const scan_range<number> range{
      reinterpret_cast<const number*>(from), reinterpret_cast<number*>(to), n};
  const auto start = static_cast<number>(before);
  return static_cast<T>(is_inclusive ? inclusive_sums(range, start) : exclusive_sums(range, start));
}

}  // namespace weft::algorithms::detail::kernels
