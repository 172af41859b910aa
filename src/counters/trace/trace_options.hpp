// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options about traces, for programs that call weft::init.
#pragma once

#include "weft/base/options.hpp"

namespace weft::counters::detail {

/// Adds --weft:trace and --weft:trace-buffer.
void register_trace_options(base::option_registry& registry);

/// Starts a trace if `registry` has the option.
///
/// Errors:  as `start_trace`, if the command line asks for the trace. If only the environment does,
///          sends a message about the error, and the program continues without a trace.
void start_trace_as_asked(const base::option_registry& registry);

}  // namespace weft::counters::detail
