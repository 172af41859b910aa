// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores that bypass the caches, and when they pay: a plain store to memory reads the line first.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

namespace weft::algorithms::detail {

/// Bytes that a staged kernel computes before it streams them: few, so that reading what comes next
/// and writing overlap.
inline constexpr std::size_t stage_bytes = 1024;

inline constexpr std::size_t cache_line_bytes = 64;

/// The size of the last-level cache, read once; a guess where the system does not tell.
[[nodiscard]] std::size_t last_level_cache_bytes() noexcept;

/// Where streaming begins to pay, in bytes written by one call; the largest number: never here.
///
/// The last-level cache, below which the reader that follows would miss what was streamed past it.
[[nodiscard]] std::size_t stream_threshold_bytes() noexcept;

/// Whether a loop that writes `bytes` consecutive ones should use stream_copy().
///
/// Cost: a compare below 1 MiB; a function-local static above.
[[nodiscard]] inline bool should_stream(std::size_t bytes) noexcept {
  constexpr std::size_t never_below_bytes = std::size_t{1} << 20U;
  return bytes > never_below_bytes && bytes > stream_threshold_bytes();
}

/// Copies like memcpy, past the caches where the machine can. The bytes do not overlap.
///
/// Threads: others see the bytes after stream_fence() by this thread and then any release.
void stream_copy(void* to, const void* from, std::size_t bytes) noexcept;

/// Writes the line over and over to `bytes` bytes from `to` on, past the caches where the machine
/// can. See stream_copy.
void stream_fill(void* to,
                 const std::array<std::byte, cache_line_bytes>& line,
                 std::size_t bytes) noexcept;

/// Orders what this thread streamed before what it stores next. Once per chunk is enough.
void stream_fence() noexcept;

/// Values that a loop may compute into a buffer first and stream from there.
template <class T>
concept streamable =
    std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T> &&
    !std::is_volatile_v<T> && (sizeof(T) & (sizeof(T) - 1)) == 0 && sizeof(T) <= cache_line_bytes;

}  // namespace weft::algorithms::detail
