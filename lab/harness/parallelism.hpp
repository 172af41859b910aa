// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds out whether a call that asked for several threads used them.
#pragma once

#include <optional>
#include <string>

#include "lab/harness/experiment.hpp"
#include "lab/harness/sampler.hpp"

namespace weft::lab {

/// The threads' activity; `reason` says why a field is empty.
struct parallelism {
  std::optional<double> cpu_over_wall;  // CPU seconds of the process per second of calling
  std::optional<int> threads_active;    // threads that used at least 5 % of the busiest one's time
  std::optional<bool> is_sequential;    // several threads were requested, one did the work
  std::string reason;
};

/// Makes some more calls, untimed, and watches every thread's CPU clock and its waits for a CPU.
/// Each look begins after the backend's threads have fallen asleep.
///
/// Parallel: in some look a second thread ran for half of the time. Sequential: in each of five
/// looks every other thread slept. Anything between is unknown. In calls shorter than 0.3 ms,
/// spinning workers look like working ones, so such calls are watched several at a time.
/// Cost:    a few ms of sleep if `threads > 1` (up to 250 ms while idle workers spin), five times
///          that for a suspect, then calls for 5 ms, or one call.
/// Errors:  empty fields, with a reason, if the calls were too short, the workers never sleep, or
///          the evidence is mixed.
/// Example: tests/harness/parallelism_test.cpp: a_backend_that_runs_on_one_thread_is_found_out.
[[nodiscard]] parallelism probe_parallelism(experiment& subject, const schedule& plan, int threads);

}  // namespace weft::lab
