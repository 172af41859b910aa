// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters that this process prints because its options say so.
#pragma once

#include "counters/print/counter_options.hpp"

namespace weft::counters::detail {

/// Keeps the plan for `start_active`.
void set_active_plan(const counter_plan& plan);

/// Begins to count and print what the plan says, without one what the environment says; only the
/// first call does anything.
///
/// Errors: `weft::error` for a counter or a destination that there is not; the next call tries
///         again. If only variables ask for counters, a message, and nothing is printed.
void start_active();

/// Prints what is to be printed at the end. In a fork of the process that began: does nothing.
void finish_active() noexcept;

}  // namespace weft::counters::detail
