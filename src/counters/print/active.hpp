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

/// This process is about to join a job of several, or has failed to.
///
/// If the name of any counter has a locality, locality 0 prints all counters of the plan, and the
/// other processes print nothing. It prints from `start_active_of_job` until
/// `finish_active_of_job`. Otherwise each process prints its own counters, as without a job.
///
/// Call it before the first runtime starts: a message says if that was too late.
void expect_job(bool is_expected);
/// Starts what `start_active` has left to do, now that other localities can be asked.
/// Errors:  as `start_active`.
void start_active_of_job();
void finish_active_of_job() noexcept;

/// Prints what is due at the end. Does nothing in a fork of the process that started printing.
void finish_active() noexcept;

}  // namespace weft::counters::detail
