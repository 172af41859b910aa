// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that write element i from inputs at i: in fixed blocks that compilers vectorise, with
// non-temporal stores if the output is large.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/algorithms/detail/calls/held.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/loops/wide.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft::algorithms::detail {

/// Whether every element can be reached by its index in constant time.
template <class... It>
concept indexable = (indexed_iterator<It> && ...);

/// The same, for elements that several threads write: those of vector<bool> share their bytes.
template <class It>
concept indexable_output =
    indexable<It> && !std::is_same_v<std::iter_reference_t<It>, std::vector<bool>::reference>;

template <std::random_access_iterator It>
[[nodiscard]] constexpr It at(It first, std::size_t i) {
  return first + static_cast<std::iter_difference_t<It>>(i);
}

template <std::random_access_iterator It>
[[nodiscard]] constexpr decltype(auto) element(const It& first, std::size_t i) {
  return first[static_cast<std::iter_difference_t<It>>(i)];
}

template <class It>
[[nodiscard]] constexpr std::size_t count_of(It first, It last) {
  return static_cast<std::size_t>(std::distance(first, last));
}

/// A pointer where the elements lie side by side, through which loops vectorise.
template <class It>
[[nodiscard]] constexpr auto unwrapped(It it) {
  if constexpr (std::contiguous_iterator<It>) {
    return std::to_address(it);
  } else {
    return it;
  }
}

template <class It>
inline constexpr std::size_t element_bytes = sizeof(std::iter_value_t<It>);

/// Elements of a contiguous output whose bytes are all there is to an assignment.
template <class It>
concept plain_output = std::contiguous_iterator<It> && streamable<std::iter_value_t<It>> &&
                       std::is_same_v<std::iter_reference_t<It>, std::iter_value_t<It>&>;

/// Whether assigning a Result to a Value is computing a Value first and copying its bytes then.
template <class Value, class Result>
concept stageable =
    streamable<Value> &&
    (std::is_same_v<Value, std::remove_cvref_t<Result>> ||
     (std::is_arithmetic_v<Value> && std::is_arithmetic_v<std::remove_cvref_t<Result>>));

/// Whether a copy from In to Out is a copy of bytes.
template <class In, class Out>
concept copies_bytes =
    std::contiguous_iterator<In> && std::contiguous_iterator<Out> &&
    std::is_same_v<std::iter_value_t<In>, std::iter_value_t<Out>> &&
    std::is_trivially_copyable_v<std::iter_value_t<Out>> &&
    std::is_trivially_assignable_v<std::iter_reference_t<Out>, std::iter_reference_t<In>> &&
    std::is_trivially_constructible_v<std::iter_value_t<Out>, std::iter_reference_t<In>> &&
    !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<In>>> &&
    std::is_same_v<std::remove_reference_t<std::iter_reference_t<Out>>, std::iter_value_t<Out>>;

/// Chunks of whole cache lines, so that no two workers write to one if the output begins with one.
template <class T>
inline constexpr std::size_t elements_per_line =
    sizeof(T) < cache_line_bytes && cache_line_bytes % sizeof(T) == 0 ? cache_line_bytes / sizeof(T)
                                                                      : 1;

/// Elements per block: at least a few vectors of any width, and a power of two.
template <class T>
inline constexpr std::size_t block_length = sizeof(T) >= 8   ? 32
                                            : sizeof(T) == 4 ? 64
                                                             : 128;

/// Whether elements may be written in any order, or together.
template <class How>
inline constexpr bool in_any_order = How::is_parallel || How::is_vectorized;

/// Bytes below which an element-wise loop of known cost is not worth a thought.
inline constexpr std::size_t few_bytes = std::size_t{16} << 10U;

/// What does not depend on the index.
template <class Make>
struct made_anywhere {
  Make make;
  constexpr decltype(auto) operator()(std::size_t /*i*/) const { return make(); }
};

/// to[i] = f(i) for i in [first, last), which holds whole blocks.
template <std::size_t length, class T, class F>
[[gnu::always_inline]] inline void write_blocks(T* to,
                                                std::size_t first,
                                                std::size_t last,
                                                const F& f) {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): no store can change its members
  const F own = f;
  for (; first < last; first += length) {
    WEFT_INDEPENDENT_ITERATIONS
    for (std::size_t k = 0; k < length; ++k) {
      to[first + k] = static_cast<T>(own(first + k));
    }
  }
}

/// Bytes of the vectors that loops store.
#if defined(__AVX512F__)
inline constexpr std::size_t store_bytes = 64;
#else
inline constexpr std::size_t store_bytes = 32;
#endif

/// The number of elements before the first aligned vector; 0 if `n` is too small for alignment to
/// matter. A store that crosses a cache line takes twice as long. Memory from malloc mostly begins
/// in the middle of a vector.
template <class T>
[[nodiscard]] [[gnu::always_inline]] inline std::size_t num_before_vector(const T* to,
                                                                          std::size_t n) noexcept {
  constexpr std::size_t least_bytes = std::size_t{2} << 10U;
  if constexpr (sizeof(T) >= 4 && sizeof(T) < store_bytes && store_bytes % sizeof(T) == 0) {
    if (n >= least_bytes / sizeof(T)) {
      return (store_bytes - std::bit_cast<std::uintptr_t>(to) % store_bytes) % store_bytes /
             sizeof(T);
    }
  }
  return 0;
}

/// to[i] = f(i) for i in [first, last).
template <class T, class F>
inline void write_block(T* to, std::size_t first, std::size_t last, const F& f) {
  for (std::size_t i = num_before_vector(to + first, last - first); i != 0; --i, ++first) {
    to[first] = static_cast<T>(f(first));
  }
  const std::size_t whole = last - (last - first) % block_length<T>;
  if (first < whole) {
    run_vectorized([&]() __attribute__((always_inline)) {
      write_blocks<block_length<T>>(to, first, whole, f);
    });
  }
  for (std::size_t i = whole; i < last; ++i) {
    to[i] = static_cast<T>(f(i));
  }
}

/// The same with non-temporal stores: results are computed into a small buffer and streamed from
/// there.
template <class T, class F>
void stream_block(T* to, std::size_t first, std::size_t last, const F& f) {
  constexpr std::size_t length = stage_bytes / sizeof(T);
  alignas(cache_line_bytes) std::array<T, length> stage;  // NOLINT: filled before it is read
  const std::size_t whole = last - (last - first) % length;
  run_vectorized([&]() __attribute__((always_inline)) {
    const F own = f;
    for (; first < whole; first += length) {
      const std::size_t begin = first;
      write_blocks<block_length<T>>(
          stage.data(), 0, length, [own, begin](std::size_t k) { return own(begin + k); });
      stream_copy(to + begin, stage.data(), stage_bytes);
    }
  });
  write_block(to, whole, last, f);
  stream_fence();
}

/// The faster of both.
template <class T, class F>
[[gnu::noinline]] void write_large_block(T* to, std::size_t first, std::size_t last, F f) {
  write_large(
      stream_kind::map,
      (last - first) * sizeof(T),
      [&] { stream_block(to, first, last, f); },
      [&] { write_block(to, first, last, f); });
}

/// out[i] = f(i) for i in [0, n), where f reads `bytes_read` per element.
template <class How, std::random_access_iterator Out, class F>
inline void map_into(const How& how,
                     std::size_t n,
                     std::size_t bytes_read,
                     cost_record& costs,
                     Out out,
                     const F& f) {
  using value = std::iter_value_t<Out>;
  const loop_shape shape{n, bytes_read + sizeof(value), elements_per_line<value>};
  if constexpr (plain_output<Out> &&
                stageable<value, std::invoke_result_t<const F&, std::size_t>>) {
    value* const to = std::to_address(out);
    const bool streams = should_stream(n * shape.bytes_per_element);
    const auto at_index = held<std::size_t>(f);
    for_chunks(
        how, shape, costs, [=](std::size_t first, std::size_t last) __attribute__((always_inline)) {
          if (streams) [[unlikely]] {
            write_large_block(to, first, last, at_index);
          } else {
            write_block(to, first, last, at_index);
          }
        });
  } else {
    const auto to = unwrapped(out);
    for_chunks(how, shape, costs, [to, &f](std::size_t first, std::size_t last) {
      for (; first < last; ++first) {
        element(to, first) = f(first);
      }
    });
  }
}

/// Copies elements in `sizeof...(i)` pieces of a cache line: a loop would become a call of memcpy.
template <class T, std::size_t... i>
[[gnu::always_inline]] inline void copy_lines(T* to,
                                              const T* from,
                                              std::index_sequence<i...> /*lines*/) {
  constexpr std::size_t count = cache_line_bytes / sizeof(T);
  (static_cast<void>(std::memcpy(to + i * count, from + i * count, cache_line_bytes)), ...);
}

/// Copies bytes of elements; the ranges do not overlap.
template <class T>
inline void copy_elements(T* to, const T* from, std::size_t n, bool streams) noexcept {
  const auto plain = [&] { std::memcpy(static_cast<void*>(to), from, n * sizeof(T)); };
  if (streams) [[unlikely]] {
    const auto streamed = [&] {
      stream_copy(to, from, n * sizeof(T));
      stream_fence();
    };
    write_large(stream_kind::copy, n * sizeof(T), streamed, plain);
  } else if (n != 0) {
    plain();
  }
}

/// out[i] = in[i] for bytes, i in [0, n).
template <class How, class T>
inline void copy_bytes(const How& how, T* to, const T* from, std::size_t n, cost_record& costs) {
  if (n <= few_bytes / sizeof(T)) {
    copy_elements(to, from, n, false);
    return;
  }
  const bool streams = should_stream(2 * n * sizeof(T));
  for_chunks(how,
             loop_shape{n, 2 * sizeof(T), elements_per_line<T>},
             costs,
             [=](std::size_t first, std::size_t last) {
               copy_elements(to + first, from + first, last - first, streams);
             });
}

}  // namespace weft::algorithms::detail
