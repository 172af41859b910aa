// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processor's own clock, for stamps that a system call would be too slow for.
#pragma once

#include <cstdint>

#include "weft/base/abi.hpp"  // IWYU pragma: keep
#include "weft/base/durations.hpp"

#if !defined(__x86_64__) && !defined(__aarch64__)
#endif

namespace weft::counters {

/// Reads the time stamp counter, not ordered with the instructions around it.
///
/// Units:   ticks of a constant rate that is not the processor's frequency.
/// Cost:    about 20 to 40 cycles; more in a virtual machine whose host traps it.
/// Source:  Intel SDM, RDTSC; Arm ARM, CNTVCT_EL0.
[[nodiscard]] inline std::uint64_t ticks_now() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

}  // namespace weft::counters
