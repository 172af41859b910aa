// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What elements of a loop cost, so that short loops are known without a look at the clock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "weft/counters/ticks.hpp"

namespace weft::algorithms::detail {

/// A loop over n elements that may be cut.
struct loop_shape {
  std::size_t n = 0;
  std::size_t bytes_per_element = 0;  // that it moves; 0: not known
  std::size_t multiple_of = 1;        // borders of chunks are multiples of this
};

/// Loops until the next one that is timed although it seems short.
inline constinit thread_local unsigned loops_until_timed = 1;

/// What elements cost where a loop is written, one object per instantiation of an algorithm.
///
/// Threads: any; all is relaxed, since a wrong estimate costs time and nothing else.
class cost_record {
 public:
  /// Loops that seem shorter than this run on the caller, mostly untimed.
  static constexpr float short_ticks = 4000;

  /// Whether a loop over `n` elements is known to be too short for others to help.
  [[gnu::always_inline]] [[nodiscard]] bool is_short(std::size_t n) const noexcept {
    return estimate_.load(std::memory_order_relaxed) * static_cast<float>(n) <= short_ticks &&
           --loops_until_timed != 0;
  }

  /// Ticks per element; infinite: not known.
  [[nodiscard]] float estimate() const noexcept {
    return estimate_.load(std::memory_order_relaxed);
  }

  /// Trusts an estimate less that was used without measuring again: one from a cold start would
  /// otherwise stay for ever.
  void fade() noexcept { estimate_.store(estimate() / 2, std::memory_order_relaxed); }

  /// Notes that `n` elements took `ticks`. An estimate that is far off is dropped.
  void note(std::size_t n, float ticks) noexcept {
    constexpr float far_off = 4;
    const float fresh = ticks / static_cast<float>(n);
    const float old = estimate();
    const bool is_near = old < far_off * fresh && fresh < far_off * old;
    estimate_.store(is_near ? old + (fresh - old) / far_off : fresh, std::memory_order_relaxed);
  }

 private:
  std::atomic<float> estimate_{std::numeric_limits<float>::infinity()};
};

}  // namespace weft::algorithms::detail
