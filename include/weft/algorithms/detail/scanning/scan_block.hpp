// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans and sums of one block, into memory by ordinary or non-temporal stores.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/held.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/keep_mask.hpp"
#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/kernels/scan_kernels.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/loops/wide.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/detail/reducing/reduction.hpp"

namespace weft::algorithms::detail {

enum class scan_kind : bool { inclusive, exclusive };

/// Leaves an element as it is.
struct as_it_is {
  template <class T>
  [[nodiscard]] constexpr T&& operator()(T&& x) const noexcept {
    return static_cast<T&&>(x);
  }
};

/// Sums of floating-point numbers are limited by the latency of an addition. So four elements are
/// added to each other first, and the running sum takes one addition per four elements.
template <class T, class Op, class X>
inline constexpr bool is_floating_sum =
    std::floating_point<T> && std::same_as<T, std::remove_cvref_t<X>> &&
    (std::same_as<Op, std::plus<>> || std::same_as<Op, std::plus<T>>);

// NOLINTBEGIN(readability-function-size): what a scan is made of
/// Writes the scan of `n` elements behind `sum`, and returns the sum that comes after them.
template <scan_kind kind, class T, class It, class Out, class Op, class Map>
[[nodiscard]] inline T scan_block(T sum, It in, std::size_t n, Out out, Op& op, Map& map) {
  if constexpr (is_floating_sum<T, Op, decltype(map(*in))> && indexed_iterator<It> &&
                indexed_iterator<Out>) {
    for (; n >= 4; n -= 4, in += 4, out += 4) {
      const T one = map(in[0]);
      const T two = one + map(in[1]);
      const T third = map(in[2]);
      const T three = two + third;
      const T four = two + (third + map(in[3]));
      if constexpr (kind == scan_kind::inclusive) {
        out[0] = sum + one;
        out[1] = sum + two;
        out[2] = sum + three;
        sum += four;
        out[3] = sum;
      } else {
        out[0] = sum;
        out[1] = sum + one;
        out[2] = sum + two;
        out[3] = sum + three;
        sum += four;
      }
    }
  }
  for (; n != 0; --n, static_cast<void>(++in), static_cast<void>(++out)) {
    if constexpr (kind == scan_kind::inclusive) {
      sum = op(std::move(sum), map(*in));
      *out = sum;
    } else {
      T next = op(sum, map(*in));  // before the output, which may be the input
      *out = std::move(sum);
      sum = std::move(next);
    }
  }
  return sum;
}

/// The sum of `n` elements, at least one.
template <class T, class It, class Op, class Map>
[[nodiscard]] inline T sum_block(It in, std::size_t n, Op& op, Map& map) {
  T sum = map(*in);
  ++in;
  --n;
  if constexpr (is_floating_sum<T, Op, decltype(map(*in))>) {
    T second = kernels::nothing_to_add<T>;
    T third = second;
    T fourth = second;
    for (; n >= 8; n -= 8, in += 8) {
      sum += map(in[0]) + map(in[1]);
      second += map(in[2]) + map(in[3]);
      third += map(in[4]) + map(in[5]);
      fourth += map(in[6]) + map(in[7]);
    }
    sum = (sum + second) + (third + fourth);
  }
  for (; n != 0; --n, static_cast<void>(++in)) {
    sum = op(std::move(sum), map(*in));
  }
  return sum;
}

/// Contiguous objects of type T, which are not volatile.
template <class It, class T>
concept over_values = std::contiguous_iterator<It> && std::same_as<std::iter_value_t<It>, T> &&
                      !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<It>>>;

/// Whether compiled kernels add the elements, which regroup those of floating-point numbers as the
/// machine's vectors are.
template <class T, class It, class Op>
inline constexpr bool has_scan_kernel =
    kernels::scannable<T> && kernels::is_plus<Op, T> && over_values<It, T>;

/// The same for elements that are computed: a few at a time, then their running sums.
template <class T, class It, class Op, class Map>
inline constexpr bool has_staged_scan_kernel =
    kernels::scannable<T> && kernels::is_plus<Op, T> && indexed_iterator<It> &&
    std::same_as<T, std::remove_cvref_t<std::invoke_result_t<Map&, std::iter_reference_t<It>>>>;

/// The scan of computed elements, a multiple of block_length<T>; returns the sum behind it.
template <scan_kind kind, class T, class It, class Map>
[[nodiscard]] T scan_staged(T sum, It in, std::size_t n, T* out, Map& map) {
  constexpr std::size_t length = block_length<T>;
  constexpr std::size_t most = 8 * length;
  run_vectorized([&]() __attribute__((always_inline)) {
    alignas(cache_line_bytes) std::array<T, most> stage;  // NOLINT: filled before it is read
    auto mapped = held<std::iter_reference_t<It>>(map);
    for (std::size_t first = 0; first != n;) {
      const std::size_t count = std::min(most, n - first);
      for (std::size_t row = 0; row != count; row += length) {
        WEFT_INDEPENDENT_ITERATIONS
        for (std::size_t i = 0; i < length; ++i) {
          stage[row + i] = mapped(element(in, first + row + i));
        }
      }
      sum = kernels::running_sums < kind ==
            scan_kind::inclusive > (stage.data(), count, out + first, sum);
      first += count;
    }
  });
  return sum;
}

/// As scan_block, by kernels where there are any and the grouping may depend on the machine.
template <scan_kind kind, bool is_regrouped, class T, class It, class Out, class Op, class Map>
[[nodiscard]] inline T scan_some(T sum, It in, std::size_t n, Out out, Op& op, Map& map) {
  if constexpr ((is_regrouped || std::integral<T>) && over_values<Out, T>) {
    if constexpr (std::same_as<Map, const as_it_is> || std::same_as<Map, as_it_is>) {
      if constexpr (has_scan_kernel<T, It, Op>) {
        if (n >= kernels::least_elements) {
          return kernels::running_sums < kind ==
                 scan_kind::inclusive > (std::to_address(in), n, std::to_address(out), sum);
        }
      }
    } else if constexpr (has_staged_scan_kernel<T, It, Op, Map>) {
      const std::size_t staged = n - n % block_length<T>;
      if (staged != 0) {
        sum = scan_staged<kind>(sum, in, staged, std::to_address(out), map);
        in = advanced(in, staged);
        out = advanced(out, staged);
        n -= staged;
      }
    }
  }
  return scan_block<kind>(std::move(sum), std::move(in), n, std::move(out), op, map);
}

/// As sum_block, in the same way.
template <bool is_regrouped, class T, class It, class Op, class Map>
[[nodiscard]] inline T sum_some(It in, std::size_t n, Op& op, Map& map) {
  constexpr bool is_mapped = !std::same_as<Map, const as_it_is> && !std::same_as<Map, as_it_is>;
  if constexpr ((is_regrouped || std::integral<T>) && has_scan_kernel<T, It, Op> && !is_mapped) {
    using number = typename kernels::scan_number<T>::type;
    return static_cast<T>(kernels::sum(kernels::data_of<number>(in), n));
  } else if constexpr (is_regrouped && is_mapped && std::floating_point<T> &&
                       has_staged_scan_kernel<T, It, Op, Map>) {
    auto operand = [in, mapped = held<std::iter_reference_t<It>>(map)](std::size_t i) {
      return mapped(element(in, i));
    };
    return fold_rows<T>(0, n, operand);
  } else {
    return sum_block<T>(std::move(in), n, op, map);
  }
}

/// Whether kernels write the running sums with non-temporal stores, if the machine has them, and
/// add other elements meanwhile.
template <bool is_regrouped, class T, class It, class Op, class Map>
inline constexpr bool has_kernel_past_caches =
    (is_regrouped || std::integral<T>) && has_scan_kernel<T, It, Op> &&
    std::same_as<std::remove_const_t<Map>, as_it_is>;

/// As scan_some, with non-temporal stores. Needs a stream_fence() before other threads may read.
template <scan_kind kind, bool is_regrouped, class T, class It, class Op, class Map>
[[nodiscard]] inline T stream_scan_block(T sum, It in, std::size_t n, T* out, Op& op, Map& map) {
  if constexpr (has_kernel_past_caches<is_regrouped, T, It, Op, Map>) {
    if (kernels::can_pass_caches(out)) {
      const std::span<const T> from(std::to_address(in), n);
      return kernels::running_sums_past < kind == scan_kind::inclusive > (from, out, sum, {}, sum);
    }
  }
  constexpr std::size_t at_once = stage_bytes / sizeof(T);
  alignas(cache_line_bytes) std::array<T, at_once> stage;
  // The address as a number: only its distance to the next line is wanted.
  const std::size_t past = std::bit_cast<std::uintptr_t>(out) % cache_line_bytes;
  const std::size_t head = past == 0 ? 0 : std::min(n, (cache_line_bytes - past) / sizeof(T));
  sum = scan_some<kind, is_regrouped>(std::move(sum), in, head, out, op, map);
  std::size_t i = head;
  for (; n - i >= at_once; i += at_once) {
    sum = scan_some<kind, is_regrouped>(
        std::move(sum), advanced(in, i), at_once, stage.data(), op, map);
    stream_copy(out + i, stage.data(), stage_bytes);
  }
  return scan_some<kind, is_regrouped>(std::move(sum), advanced(in, i), n - i, out + i, op, map);
}

// NOLINTEND(readability-function-size)
}  // namespace weft::algorithms::detail
