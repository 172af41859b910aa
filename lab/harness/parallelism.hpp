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
  std::optional<bool> is_sequential;    // several threads asked for, one did the work
  std::string reason;
};

/// Makes some more calls, untimed, each look at them after the backend's threads fell asleep, and
/// watches every thread's CPU clock and its waiting for a CPU.
///
/// Parallel: in some look a second thread ran for half of the time. Sequential: in each of five
/// looks every other thread slept. Anything between is unknown. Idle workers that spin look like
/// working ones in calls shorter than 0.3 ms, which are watched several at a time.
/// Cost:    a few ms of sleep if `threads > 1` (up to 250 ms while idle workers spin), five times
///          that for a suspect, then calls for 5 ms, or one call.
/// Errors:  empty fields, with a reason, if the calls were too short, the workers never sleep, or
///          the evidence is mixed.
/// Example: tests/harness/parallelism_test.cpp: a_backend_that_runs_on_one_thread_is_found_out.
[[nodiscard]] parallelism probe_parallelism(experiment& subject, const schedule& plan, int threads);

}  // namespace weft::lab
