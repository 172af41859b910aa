// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tries a call that may exhaust the machine in a separate process, which is watched.
#pragma once

#include <cstdint>
#include <string>

namespace weft::lab::inncabs {

/// The process is killed if it exceeds these limits.
struct trial_limits {
  std::uint64_t max_threads = 50'000;
  /// Resident memory. 0: half of the memory that is available when the trial begins.
  std::uint64_t max_bytes = 0;
  double max_time_s = 60;
};

struct trial_end {
  bool is_survived = false;
  std::string how;  // "it threw: Resource temporarily unavailable"; empty if survived
};

/// Calls `call(context)` in a copy of this process and reports how that ended.
///
/// The call's output to the standard error stream is dropped: it would at best repeat the report.
/// If memory runs out nevertheless, the kernel ends the copy first.
/// Threads: only from a process that has no other thread.
/// Errors:  `weft::error` if no process can be started.
trial_end try_in_child(void (*call)(void* context), void* context, const trial_limits& limits);

}  // namespace weft::lab::inncabs
