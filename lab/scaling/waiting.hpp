// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits that move no counted cache line, because this code is not instrumented.
#pragma once

#include <chrono>

#include "weft/tasks/latch.hpp"

namespace weft::tasks::detail {
class scheduler;
}

namespace weft::lab::scaling {

/// Sleeps.
void pause(std::chrono::microseconds time);
/// Keeps the processor busy.
void pause_busily(std::chrono::microseconds time);
/// Waits until all workers have been parked for a while.
void wait_until_parked(const tasks::detail::scheduler& workers);
/// Counts `all` down, and keeps this worker until all others have counted.
void spin_until_all(latch& all);

}  // namespace weft::lab::scaling
