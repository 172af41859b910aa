// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a tick of the processor's clock is.
#pragma once

#include <chrono>
#include <cstdint>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::counters {

/// The same moment on two clocks.
struct tick_moment {
  std::uint64_t ticks = 0;
  std::chrono::steady_clock::time_point time;
};

/// Reads both clocks, the closest together of several attempts.
///
/// Cost: about half a microsecond.
[[nodiscard]] tick_moment tick_moment_now() noexcept;

/// Returns what a tick between two moments lasted, on average.
///
/// Shape:   `later` is later.
/// Example: tests/counters/tick_clock_test.cpp: ticks_between_moments_give_their_length.
[[nodiscard]] double seconds_per_tick(const tick_moment& earlier,
                                      const tick_moment& later) noexcept;

/// Returns what a tick has lasted since the process started: the more exact, the longer that is.
///
/// Cost:    two readings of each clock; a call in the first millisecond waits for its end.
/// Threads: from any.
/// Example: tests/counters/tick_clock_test.cpp: a_duration_in_ticks_is_that_of_the_steady_clock.
[[nodiscard]] double seconds_per_tick() noexcept;

/// The estimated length of a tick, and whether seconds_per_tick() would be no better.
struct tick_length {
  double seconds = 0;
  bool is_exact = false;
};

/// As seconds_per_tick(), but at once: to within a percent in the first millisecond.
///
/// Cost:    two readings of each clock; a call in the first 20 us waits for their end.
/// Threads: from any.
/// Example: tests/counters/tick_clock_test.cpp: the_length_of_a_tick_is_soon_known.
[[nodiscard]] tick_length tick_length_so_far() noexcept;

}  // namespace weft::counters
