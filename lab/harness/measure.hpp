// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One cell from its check to its outcome: verify, warm up, sample, watch the threads.
#pragma once

#include "lab/harness/clock.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/process_readings.hpp"
#include "lab/harness/records.hpp"

namespace weft::lab {

/// The instruments of a bench program. Made once, before the backend's threads exist, so that the
/// counters cover them.
struct instruments {
  clock_source& clock;
  timer_properties timer;
  process_readings counters;
};

/// Answers one cell whose fields are set, `threads` included.
///
/// A wrong answer is never timed. `cpus_usable` decides only whether the cell is labelled
/// oversubscribed.
/// Threads: blocks until done; the counters see every thread of the process.
/// Errors:  never throws. An exception of the experiment becomes the outcome: `bad_alloc` is a
///          skip, any other an error.
[[nodiscard]] outcome measure(const cell& what,
                              const suite& from,
                              int cpus_usable,
                              instruments& with);

}  // namespace weft::lab
