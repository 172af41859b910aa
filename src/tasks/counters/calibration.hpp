// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What timing adds to what it measures, and what it costs.
#pragma once

#include <cstdint>

#include "weft/tasks/detail/counters/task_clock.hpp"

namespace weft::tasks::detail {

/// Times tasks of every kind that do known work, as a worker does: some among many that are not
/// timed, since a processor runs what it has seen of late faster.
///
/// Units:   ticks of the processor's clock.
/// Cost:    some 6,000 tasks of each kind.
/// Threads: a worker's, which runs no task yet.
/// Errors:  std::bad_alloc.
/// Example: src/tasks/counters/task_clock.cpp; lab/counters/accuracy.cpp holds the result against the truth.
[[nodiscard]] timing_cost measure_timing();

/// The processor's clock once all before has been done, and before anything that follows begins.
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
