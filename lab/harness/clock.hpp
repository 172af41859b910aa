// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock that times samples, and the cost of reading it.
#pragma once

#include <cstdint>

namespace weft::lab {

/// A sampler's source of time; tests use a clock that they advance themselves.
class clock_source {
 public:
  clock_source() = default;
  clock_source(const clock_source&) = delete;
  clock_source& operator=(const clock_source&) = delete;
  virtual ~clock_source() = default;

  /// Nanoseconds since an arbitrary start. An integer: a double would lose nanoseconds after weeks
  /// of uptime.
  [[nodiscard]] virtual std::int64_t now_ns() noexcept = 0;
};

/// CLOCK_MONOTONIC: never set back, read without a system call.
class monotonic_clock final : public clock_source {
 public:
  [[nodiscard]] std::int64_t now_ns() noexcept override;
};

/// The cost of one reading, and the smallest difference of two readings.
struct timer_properties {
  double cost_s = 0;
  double resolution_s = 0;
};

/// Measures the clock: the cost is the least mean of several bursts of readings, the resolution is
/// the smallest step seen.
///
/// Cost:    about a millisecond.
[[nodiscard]] timer_properties measure_timer(clock_source& clock);

/// Converts a difference of two readings.
[[nodiscard]] constexpr double seconds(std::int64_t nanoseconds) noexcept {
  return static_cast<double>(nanoseconds) * 1e-9;
}

}  // namespace weft::lab
