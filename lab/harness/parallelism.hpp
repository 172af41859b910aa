// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells whether a call that asked for several threads really used them.
#pragma once

#include <optional>
#include <string>

#include "lab/harness/experiment.hpp"
#include "lab/harness/sampler.hpp"

namespace weft::lab {

/// What the threads did; `reason` says why a field is empty.
struct parallelism {
  std::optional<double> cpu_over_wall;  // CPU seconds of the process per second of calling
  std::optional<int> threads_active;    // threads that used at least 5 % of the busiest one's time
  std::optional<bool> is_sequential;    // several threads asked for, one active
  std::string reason;
};

/// Makes some more calls, untimed, after the backend's threads fell asleep, and watches every
/// thread's CPU clock.
///
/// Spinning idle workers look like working ones, so the probe first waits until all others sleep.
/// Cost:    a few ms of sleep if `threads > 1` (up to 250 ms while idle workers spin), then calls
///          for 5 to 60 ms, or one call.
/// Errors:  empty fields, with a reason, if the calls were too short or the workers never sleep.
/// Example: tests/harness/parallelism_test.cpp: a_backend_that_runs_on_one_thread_is_found_out.
[[nodiscard]] parallelism probe_parallelism(experiment& subject, const schedule& plan, int threads);

}  // namespace weft::lab
