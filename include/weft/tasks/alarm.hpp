// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a function at a given time, by the process's timer; for code that implements waits of its
// own.
#pragma once

#include <chrono>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

// IWYU pragma: begin_exports
#include "weft/tasks/detail/waiting/alarm.hpp"
// IWYU pragma: end_exports

namespace weft::tasks {

/// A function that the timer calls at a given time. The waiting code owns it.
using detail::alarm;
using detail::time_point;

/// Starts the timer's thread unless it runs. Errors: std::system_error.
using detail::start_timer;

/// Has `ring` of an alarm called at its deadline; false: it was cancelled before.
using detail::set_alarm;
/// The `claim` of an alarm that `set_alarm` sets.
using detail::claim_alarm;
/// Sees to it that an alarm does not ring. True: the caller must end what waits for it.
using detail::cancel_alarm;

/// The time so long from now, and a moment of another clock on the timer's.
using detail::deadline_after;
using detail::deadline_at;

}  // namespace weft::tasks
