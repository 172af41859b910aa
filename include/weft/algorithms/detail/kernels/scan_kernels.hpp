// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled running sums of contiguous numbers, which pick the widest instructions of the machine.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/algorithms/detail/kernels/number_kernels.hpp"

namespace weft::algorithms::detail::kernels {

/// Numbers behind each other, and where their running sums go: the same place, or one apart.
template <class Number>
struct scan_range {
  const Number* from;
  Number* to;
  std::size_t n;
};

/// Numbers whose sum is needed next. A kernel that scans other numbers adds some of these while its
/// stores are in flight.
template <class Number>
struct sum_ahead {
  const Number* from = nullptr;
  std::size_t n = 0;
  std::size_t num_summed = 0;
  Number sum = nothing_to_add<Number>;
};

// Writes the sums of `before` and all numbers up to each place, with the number there or without
// it, and returns the sum of all. Whole numbers wrap around; others are grouped as the vectors of
// the machine are. The kernels named `_past` use non-temporal stores where `sums_pass_caches` is
// true and whole numbers fill a line. The input and the output must not overlap then. Call
// stream_fence() before another thread may read the results.
#define WEFT_DECLARE_SCAN_KERNELS(number)                                              \
  [[nodiscard]] number inclusive_sums(const scan_range<number>& range, number before); \
  [[nodiscard]] number exclusive_sums(const scan_range<number>& range, number before); \
  [[nodiscard]] number inclusive_sums_past(                                            \
      const scan_range<number>& range, number before, sum_ahead<number>& next);        \
  [[nodiscard]] number exclusive_sums_past(                                            \
      const scan_range<number>& range, number before, sum_ahead<number>& next);        \
  [[nodiscard]] bool sums_pass_caches(number which) noexcept

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

/// Whether lines begin where numbers do: not if those are aligned to less than their size.
template <class T>
[[nodiscard]] bool are_lines_whole(const void* numbers) noexcept {
  // The address as a number: only its distance to the next line is wanted.
  return std::bit_cast<std::uintptr_t>(numbers) % sizeof(T) == 0;
}

/// Whether running_sums_past() passes by the caches. Else its stores are plain, and it may not be
/// called at all where lines do not begin with a number.
template <scannable T>
[[nodiscard]] bool can_pass_caches(const T* to) noexcept {
  return are_lines_whole<T>(to) && sums_pass_caches(typename scan_number<T>::type{});
}

/// The same with non-temporal stores, and the sum of `next` into `sum_of_next`, unless that is
/// empty.
template <bool is_inclusive, scannable T>
[[nodiscard]] T running_sums_past(
    std::span<const T> from, T* to, T before, std::span<const T> next, T& sum_of_next) {
  using number = typename scan_number<T>::type;
  const scan_range<number> range{
      data_of<number>(from.data()), reinterpret_cast<number*>(to), from.size()};
  sum_ahead<number> ahead{.from = data_of<number>(next.data()), .n = next.size()};
  const auto start = static_cast<number>(before);
  const number all = is_inclusive ? inclusive_sums_past(range, start, ahead)
                                  : exclusive_sums_past(range, start, ahead);
  if (!next.empty()) {
    const std::size_t left = ahead.n - ahead.num_summed;
    const number rest =
        left == 0 ? nothing_to_add<number> : sum(ahead.from + ahead.num_summed, left);
    sum_of_next = static_cast<T>(static_cast<number>(ahead.sum + rest));
  }
  return static_cast<T>(all);
}

}  // namespace weft::algorithms::detail::kernels
