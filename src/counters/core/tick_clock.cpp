// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the processor's clock with the system's, over the whole life of the process.
#include "weft/counters/tick_clock.hpp"

#include <chrono>
#include <cstdint>
#include <thread>

#include "weft/counters/ticks.hpp"

namespace weft::counters {
namespace {

using clock = std::chrono::steady_clock;

// An error of 50 ns is 50 ppm of this span.
constexpr auto exact_span = std::chrono::milliseconds(1);

const tick_moment& process_start() noexcept {
  static const tick_moment moment = tick_moment_now();
  return moment;
}

// Set before main, unless a static object asks even earlier.
[[maybe_unused]] const tick_moment& at_start = process_start();

}  // namespace

tick_moment tick_moment_now() noexcept {
  constexpr int num_attempts = 5;  // one attempt may be interrupted, five hardly ever
  tick_moment best;
  clock::duration shortest = clock::duration::max();
  for (int i = 0; i < num_attempts; ++i) {
    const clock::time_point before = clock::now();
    const std::uint64_t ticks = ticks_now();
    const clock::time_point after = clock::now();
    if (after - before < shortest) {
      shortest = after - before;
      best = {.ticks = ticks, .time = before + (after - before) / 2};
    }
  }
  return best;
}

double seconds_per_tick(const tick_moment& earlier, const tick_moment& later) noexcept {
  return std::chrono::duration<double>(later.time - earlier.time).count() /
         static_cast<double>(later.ticks - earlier.ticks);
}

double seconds_per_tick() noexcept {
  const tick_moment& start = process_start();
  std::this_thread::sleep_until(start.time + exact_span);
  return seconds_per_tick(start, tick_moment_now());
}

tick_length tick_length_so_far() noexcept {
  constexpr auto least_span = std::chrono::microseconds(20);
  const tick_moment& start = process_start();
  tick_moment now = tick_moment_now();
  while (now.time - start.time < least_span) {
    now = tick_moment_now();
  }
  return {.seconds = seconds_per_tick(start, now), .is_exact = now.time - start.time >= exact_span};
}

}  // namespace weft::counters
