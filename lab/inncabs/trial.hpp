// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tries what may exhaust the machine in a process of its own, which is watched.
#pragma once

#include <cstdint>
#include <string>

namespace weft::lab::inncabs {

/// Beyond these the process is killed.
struct trial_limits {
  std::uint64_t max_threads = 50'000;
  /// Resident. 0: half of what is available when the trial begins.
  std::uint64_t max_bytes = 0;
  double max_time_s = 60;
};

struct trial_end {
  bool is_survived = false;
  std::string how;  // "it threw: Resource temporarily unavailable"; empty if survived
};

/// Calls `call(context)` in a copy of this process and says how that ended.
///
/// What the call prints to the standard error stream is dropped: it is what the end says, at best.
/// If memory runs out all the same, the kernel ends the copy first.
/// Threads: only from a process that has no other thread.
/// Errors:  `weft::error` if no process can be started.
trial_end try_in_child(void (*call)(void* context), void* context, const trial_limits& limits);

}  // namespace weft::lab::inncabs
