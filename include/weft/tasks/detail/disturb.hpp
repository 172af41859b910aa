// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a test may stretch the time between two steps of a protocol, or leave a step out.
#pragma once

#include <cstdint>

namespace weft::tasks::detail {

/// Steps without which a protocol is wrong: a test that leaves one out must fail.
enum class safety_step : std::uint8_t {
  owner_recheck,    // the owner looks again what thieves published while it claimed
  second_recheck,   // the same while it claimed the second from the top
  acknowledgement,  // a thief respects that the owner answered
  park_recheck      // a worker looks for work after it announced that it sleeps
};

#if defined(WEFT_TEST_DELAYS)
/// Passes a random time, mostly none; tests/tasks/disturb.cpp.
void disturb() noexcept;
/// True if the test that runs leaves `step` out.
bool leaves_out(safety_step step) noexcept;
/// True if every suspended task shall wake up on another worker than it fell asleep on.
bool forces_migration() noexcept;
#else
[[gnu::always_inline]] inline void disturb() noexcept {}
[[gnu::always_inline]] constexpr bool leaves_out(safety_step /*step*/) noexcept { return false; }
[[gnu::always_inline]] constexpr bool forces_migration() noexcept { return false; }
#endif

}  // namespace weft::tasks::detail
