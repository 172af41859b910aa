// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies the elements of many masks, with the widest instructions of this processor where elements
// are plain words.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>

#include "weft/algorithms/detail/kernels/keep_mask.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"

namespace weft::algorithms::detail {

/// 64 elements for each mask; bit j of mask i, after exclusive or with `flip`, keeps element
/// 64 i + j.
struct mask_words {
  const std::uint64_t* masks = nullptr;
  std::size_t num_masks = 0;
  std::uint64_t flip = 0;
};

/// Copies the words of 4 or 8 bytes that the masks keep from `from` to `to`, and returns their
/// number. `to` is `from`, lies before it, or lies in other memory. Nothing is written behind the
/// copied words.
std::size_t compress_4(const void* from, const mask_words& which, void* to) noexcept;
std::size_t compress_8(const void* from, const mask_words& which, void* to) noexcept;

/// Iterators over plain words of the two sizes above.
template <class It>
concept over_words =
    std::contiguous_iterator<It> && std::is_trivially_copyable_v<std::iter_value_t<It>> &&
    !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<It>>> &&
    (sizeof(std::iter_value_t<It>) == 4 || sizeof(std::iter_value_t<It>) == 8) &&
    alignof(std::iter_value_t<It>) == sizeof(std::iter_value_t<It>);

template <class It, class Out>
concept over_same_words = over_words<It> && over_words<Out> &&
                          std::same_as<std::iter_value_t<It>, std::iter_value_t<Out>>;

/// Those of them that stream_words() takes.
template <class It, class Out>
concept over_streamable_words = over_same_words<It, Out> && streamable<std::iter_value_t<It>>;

template <class T>
inline std::size_t compress(const T* from, const mask_words& which, T* to) noexcept {
  if constexpr (sizeof(T) == 4) {
    return compress_4(from, which, to);
  } else {
    return compress_8(from, which, to);
  }
}

/// Copies what the masks keep to `out`, and returns its end.
template <class It, class Out>
inline Out copy_words(It first, const mask_words& which, Out out) {
  if constexpr (over_same_words<It, Out>) {
    if (which.num_masks != 0) {
      out = advanced(out, compress(std::to_address(first), which, std::to_address(out)));
    }
  } else {
    for (std::size_t i = 0; i < which.num_masks; ++i) {
      out = copy_masked(advanced(first, i * mask_width), which.masks[i] ^ which.flip, out);
    }
  }
  return out;
}

/// More than stores that are still under way: a load of what several of them write waits for all.
inline constexpr std::size_t compress_stage_bytes = std::size_t{16} << 10U;

/// As copy_words, with non-temporal stores except for lines that are shared with other data. Needs
/// a stream_fence() before other threads may read.
template <class It, class Out>
inline Out stream_words(It first, const mask_words& which, Out out) {
  using value = std::iter_value_t<It>;
  constexpr std::size_t num_values = compress_stage_bytes / sizeof(value);
  constexpr std::size_t at_once = num_values / mask_width;
  constexpr std::size_t line = cache_line_bytes / sizeof(value);
  if (which.num_masks == 0) {
    return out;
  }
  alignas(cache_line_bytes) std::array<value, num_values + line> stage;
  // The address as a number: only its distance to the line before is needed. Staged data has its
  // final alignment, and only whole lines are written.
  value* to = std::to_address(out);
  const std::size_t past = std::bit_cast<std::uintptr_t>(to) % cache_line_bytes / sizeof(value);
  __builtin_prefetch(to, 1);
  std::size_t skipped = past;
  std::size_t filled = past;
  std::size_t all = 0;
  for (std::size_t i = 0; i < which.num_masks; i += at_once) {
    const std::size_t num_masks = std::min(at_once, which.num_masks - i);
    const std::size_t count = compress(std::to_address(first) + i * mask_width,
                                       {which.masks + i, num_masks, which.flip},
                                       stage.data() + filled);
    filled += count;
    all += count;
    const std::size_t whole = filled / line * line;
    if (whole != 0) {
      stream_copy(to, stage.data() + skipped, (whole - skipped) * sizeof(value));
      to += whole - skipped;
      skipped = 0;
      filled -= whole;
      std::copy_n(stage.data() + whole, filled, stage.data());
    }
  }
  std::copy(stage.data() + skipped, stage.data() + filled, to);
  return advanced(out, all);
}

/// Copies what the masks keep of a range larger than the caches, by the faster of both ways.
template <class It, class Out>
inline Out write_words(It first, const mask_words& which, Out out) {
  Out end = out;
  write_large(
      stream_kind::compact,
      which.num_masks * mask_width * sizeof(std::iter_value_t<It>),
      [&] { end = stream_words(first, which, out); },
      [&] { end = copy_words(first, which, out); });
  return end;
}

/// Moves what the masks keep down to `out`, and returns its end. Never an element onto itself.
template <class It>
inline It move_words(It first, const mask_words& which, It out) {
  std::size_t i = 0;
  if (out == first) {
    while (i < which.num_masks && (which.masks[i] ^ which.flip) == full_mask) {
      ++i;
    }
    out = advanced(out, i * mask_width);
  }
  if constexpr (over_words<It>) {
    return copy_words(
        advanced(first, i * mask_width), {which.masks + i, which.num_masks - i, which.flip}, out);
  } else {
    for (; i < which.num_masks; ++i) {
      out = move_masked(advanced(first, i * mask_width), which.masks[i] ^ which.flip, out);
    }
    return out;
  }
}

}  // namespace weft::algorithms::detail
