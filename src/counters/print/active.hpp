// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters that this process prints because its options ask for them.
#pragma once

#include "counters/print/counter_options.hpp"

namespace weft::counters::detail {

/// Stores the plan for `start_active`.
void set_active_plan(const counter_plan& plan);

/// Starts counting and printing by the stored plan, or without one by the environment. Only the
/// first successful call has an effect.
///
/// Errors:  `weft::error` for a counter or destination that does not exist; the next call tries
///          again. If only environment variables ask for counters, sends a message instead, and
///          prints nothing.
void start_active();

/// This process joins a job of several. If names of counters have a `locality#`, the process that is
/// locality 0 prints them from now until `finish_active_of_job`, and the other processes print
/// nothing. Otherwise each process prints its own counters, as without a job.
///
/// Call `expect_job` before the first runtime starts, and `start_active_of_job` when other localities
/// can be asked.
void expect_job();
/// Errors:  as `start_active`.
void start_active_of_job();
void finish_active_of_job() noexcept;

/// Prints what is due at the end. Does nothing in a fork of the process that started printing.
void finish_active() noexcept;

}  // namespace weft::counters::detail
