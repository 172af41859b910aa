// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Policies that take workers out of use while these are idle, or while power exceeds a limit.
#pragma once

#include <chrono>
#include <string>

#include "weft/policies/policy.hpp"

namespace weft {
class runtime;
}

namespace weft::policies {

/// When `throttle_idle` changes the number of workers.
struct idle_options {
  std::chrono::nanoseconds period = std::chrono::milliseconds(100);
  double idle_above = 0.5;   // share of the time of the workers in use, 0 to 1
  unsigned num_periods = 3;  // so many in a row before a worker is taken out of use
  int least_workers = 1;
};

/// Takes one worker out of use after each `num_periods` periods in which the workers in use were
/// idle for more than `idle_above` of their time. Returns all of them as soon as tasks are queued
/// or the workers in use are busy for 90 % of their time.
///
/// A worker is taken only if the others would then be busy for at most 75 % of their time. If no
/// more workers were busy after a return than before it, the next one waits for twice as many
/// periods, up to 64. So the number does not oscillate. The end of the policy puts all workers back to use.
/// Cost:    as `every`, with four counters.
/// Threads: any. The runtime may end before the policy.
/// Errors:  `weft::error` for options out of range. std::system_error as `every`.
/// Example: tests/policies/throttle_test.cpp: idle_workers_are_taken_out_of_use.
[[nodiscard]] policy throttle_idle(runtime& of, const idle_options& options = {});

/// How `throttle_power` measures.
struct power_options {
  std::chrono::nanoseconds period = std::chrono::milliseconds(100);
  unsigned num_periods = 3;  // so many in a row below the limit before a worker returns
  int least_workers = 1;
  std::string counter = "/energy/package";  // any counter of energy in J that counts
};

/// Takes a worker out of use after each period in which the machine used more than `limit_watts`.
///
/// A worker returns after `num_periods` periods if the power would then still be below the limit.
/// The power is assumed to grow in proportion to the workers. The end of the policy puts all workers
/// back to use.
/// Units:   watts, of all packages together.
/// Cost:    as `every`, with one counter.
/// Threads: any. The runtime may end before the policy.
/// Errors:  `weft::error` if the machine offers no energy counter, with the reason, or if the
///          options are out of range. std::system_error as `every`.
/// Example: tests/policies/throttle_test.cpp: power_above_the_limit_takes_workers_out_of_use.
[[nodiscard]] policy throttle_power(runtime& of,
                                    double limit_watts,
                                    const power_options& options = {});

}  // namespace weft::policies
