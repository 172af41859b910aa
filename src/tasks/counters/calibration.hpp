// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures how much timing adds to the durations that it measures, and how much it costs.
#pragma once

#include <cstdint>

#include "weft/tasks/detail/counters/task_clock.hpp"

namespace weft::tasks::detail {

/// Times tasks of every kind that do known work, as a worker does. Only some of many are timed,
/// because a processor runs recently executed code faster.
///
/// Units:   ticks of the processor's clock.
/// Cost:    some 6,000 tasks of each kind.
/// Threads: a worker's own thread, before its first task.
/// Errors:  std::bad_alloc.
/// Example: src/tasks/counters/task_clock.cpp; lab/counters/accuracy.cpp compares the result with
///          the truth.
[[nodiscard]] timing_cost measure_timing();

/// Returns the cost that the machine profile names, else what the first call measures. Workers that
/// start together would disturb each other's measurements.
///
/// Threads: as `measure_timing`.
/// Errors:  std::bad_alloc.
[[nodiscard]] const timing_cost& timing_cost_of_process();

/// Reads the processor's clock after all earlier instructions and before all later ones.
inline std::uint64_t ticks_between() noexcept {
#if defined(__x86_64__)
  asm volatile("lfence" ::: "memory");
  const std::uint64_t now = counters::ticks_now();
  asm volatile("lfence" ::: "memory");
  return now;
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
  const std::uint64_t now = counters::ticks_now();
  asm volatile("isb" ::: "memory");
  return now;
#else
  return counters::ticks_now();
#endif
}

}  // namespace weft::tasks::detail
