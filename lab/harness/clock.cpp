// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The monotonic clock and its calibration.
#include "lab/harness/clock.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <time.h>

namespace weft::lab {
namespace {

// glibc declares the constant in a separate header.
constexpr int monotonic = CLOCK_MONOTONIC;

}  // namespace

std::int64_t monotonic_clock::now_ns() noexcept {
  timespec now{};
  clock_gettime(monotonic, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

timer_properties measure_timer(clock_source& clock) {
  constexpr int num_bursts = 20;
  constexpr int readings_per_burst = 1000;
  double cost_s = std::numeric_limits<double>::max();
  std::int64_t step_ns = std::numeric_limits<std::int64_t>::max();
  for (int burst = 0; burst < num_bursts; ++burst) {
    const std::int64_t begin_ns = clock.now_ns();
    std::int64_t last_ns = begin_ns;
    for (int i = 0; i < readings_per_burst; ++i) {
      const std::int64_t now_ns = clock.now_ns();
      if (now_ns > last_ns) {
        step_ns = std::min(step_ns, now_ns - last_ns);
      }
      last_ns = now_ns;
    }
    cost_s = std::min(cost_s, seconds(last_ns - begin_ns) / readings_per_burst);
  }
  // Two readings never differ by less than the clock's stated resolution; back-to-back readings
  // differ by at least the cost of a reading.
  timespec claimed{};
  clock_getres(monotonic, &claimed);
  const std::int64_t claimed_ns = std::int64_t{claimed.tv_sec} * 1'000'000'000 + claimed.tv_nsec;
  const bool is_fine = seconds(step_ns) <= 4 * cost_s;
  return {.cost_s = cost_s, .resolution_s = seconds(is_fine ? claimed_ns : step_ns)};
}

}  // namespace weft::lab
