// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores that bypass the caches, and when they pay: a plain store to memory reads the line first.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "weft/counters/ticks.hpp"

namespace weft::algorithms::detail {

/// Bytes that a staged kernel computes before it streams them: few, so that reading what comes next
/// and writing overlap.
inline constexpr std::size_t stage_bytes = 1024;

inline constexpr std::size_t cache_line_bytes = 64;

/// The size of the last-level cache, read once; a guess where the system does not tell.
[[nodiscard]] std::size_t last_level_cache_bytes() noexcept;

/// Where streaming begins to pay, in bytes that one call touches; the largest number: never here.
///
/// This is the size that the machine profile names, else that of the last-level cache. Below it, a
/// later reader would miss data that non-temporal stores wrote. A loop that reads as much as it writes fills the cache with half as much output.
[[nodiscard]] std::size_t stream_threshold_bytes() noexcept;

/// Whether a loop that touches `bytes`, and writes many of them side by side, should use
/// stream_copy().
///
/// Cost: a compare below 1 MiB; a function-local static above.
[[nodiscard]] inline bool should_stream(std::size_t bytes) noexcept {
  constexpr std::size_t never_below_bytes = std::size_t{1} << 20U;
  return bytes > never_below_bytes && bytes > stream_threshold_bytes();
}

/// Copies like memcpy, with non-temporal stores if the machine has them. The bytes do not overlap.
///
/// Threads: others see the bytes after stream_fence() by this thread and then any release.
void stream_copy(void* to, const void* from, std::size_t bytes) noexcept;

/// Writes the line repeatedly to `bytes` bytes from `to` on, with non-temporal stores if the
/// machine has them. See stream_copy.
void stream_fill(void* to,
                 const std::array<std::byte, cache_line_bytes>& line,
                 std::size_t bytes) noexcept;

/// Whether the processor has an instruction that clears a cache line without reading or caching it
/// (AMD's CLZERO). It is two to three times as fast as non-temporal stores of zeros.
[[nodiscard]] bool clears_lines() noexcept;

/// Writes zeros to `bytes` bytes from `to` on, by that instruction or as stream_fill does. See
/// stream_copy.
void stream_clear(void* to, std::size_t bytes) noexcept;

/// The other work of a loop beside writing: plain stores to memory cost it differently.
enum class stream_kind : unsigned char { fill, copy, map, scan, compact, clear };

/// Times both ways of writing on the first large ranges of a process, alternately, and keeps the
/// faster one. That depends on the machine, and allocating memory for a trial would take longer
/// than writing it.
///
/// A turn is several times a core's caches, which take in a shorter run of plain stores and write
/// it back in the next turn. A turn that was disturbed does not count: the best of each kind do.
/// Threads: any; all is relaxed, since a wrong choice costs time and nothing else.
class stream_trial {
 public:
  enum class choice : unsigned char { open, plain, streamed };

  static constexpr std::size_t turn_bytes = std::size_t{4} << 20U;
  static constexpr std::size_t num_turns = 6;

  constexpr explicit stream_trial(stream_kind kind) noexcept : kind_(kind) {}

  [[nodiscard]] choice verdict() const noexcept { return verdict_.load(std::memory_order_relaxed); }

  /// The turn that the next `bytes` belong to; num_turns or more: none.
  [[nodiscard]] std::size_t join(std::size_t bytes) noexcept {
    return num_begun_.fetch_add(counted(bytes), std::memory_order_relaxed) / turn_bytes;
  }
  [[nodiscard]] static bool streams(std::size_t turn) noexcept {
    return turn >= num_turns || turn % 2 == 0;
  }

  /// Decides without a trial.
  void end(choice verdict) noexcept { verdict_.store(verdict, std::memory_order_relaxed); }

  /// Notes what a part of a turn took; the last one decides.
  void note(std::size_t turn, std::size_t bytes, std::uint64_t ticks) noexcept;

 private:
  struct turn_facts {
    std::atomic<std::uint64_t> ticks{0};
    std::atomic<std::uint64_t> bytes{0};
  };
  [[nodiscard]] float best_rate(bool streamed) const noexcept;
  /// A longer run is one turn too, lest all turns be of one kind.
  [[nodiscard]] static std::size_t counted(std::size_t bytes) noexcept {
    return bytes < turn_bytes ? bytes : turn_bytes;
  }

  stream_kind kind_;
  std::atomic<choice> verdict_{choice::open};
  std::atomic<std::size_t> num_begun_{0};
  std::atomic<std::size_t> num_ended_{0};
  std::array<turn_facts, num_turns> turns_;
};

/// The trial of this process for loops of one kind. The machine profile may have ended it.
[[nodiscard]] stream_trial& trial_of(stream_kind kind) noexcept;

/// Writes a chunk of `bytes` of a range that is larger than the caches, by the faster of two ways.
template <class Streamed, class Plain>
void write_large(stream_kind kind, std::size_t bytes, Streamed&& streamed, Plain&& plain) {
  stream_trial& trial = trial_of(kind);
  const stream_trial::choice verdict = trial.verdict();
  if (verdict == stream_trial::choice::open) {
    const std::size_t turn = trial.join(bytes);
    const std::uint64_t before = counters::ticks_now();
    stream_trial::streams(turn) ? streamed() : plain();
    trial.note(turn, bytes, counters::ticks_now() - before);
  } else if (verdict == stream_trial::choice::plain) {
    plain();
  } else {
    streamed();
  }
}

/// Orders what this thread streamed before what it stores next. Once per chunk is enough.
void stream_fence() noexcept;

/// Values that a loop may compute into a buffer first and stream from there.
template <class T>
concept streamable =
    std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T> &&
    !std::is_volatile_v<T> && (sizeof(T) & (sizeof(T) - 1)) == 0 && sizeof(T) <= cache_line_bytes;

}  // namespace weft::algorithms::detail
