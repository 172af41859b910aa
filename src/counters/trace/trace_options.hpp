// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options about traces of programs that call weft::init.
#pragma once

#include "weft/base/options.hpp"

namespace weft::counters::detail {

/// Adds --weft:trace and --weft:trace-buffer.
void register_trace_options(base::option_registry& registry);

/// Starts a trace if `registry` was given one.
///
/// Errors:  as `start_trace` for what the command line asks for. What only the environment asks
///          for, and cannot be had, is said in a message: the program goes on without.
void start_trace_as_asked(const base::option_registry& registry);

}  // namespace weft::counters::detail
