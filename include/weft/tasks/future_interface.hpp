// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What makes a future of work of one's own: its state, its memory, and notice of its end.
//
// Beside runtime_interface.hpp the door for modules that make or combine futures.
#pragma once

// IWYU pragma: begin_exports
#include "weft/tasks/detail/futures/future_access.hpp"
#include "weft/tasks/detail/futures/future_block.hpp"
#include "weft/tasks/detail/futures/future_state.hpp"
// IWYU pragma: end_exports

namespace weft::tasks {

/// A future's state, with room for its result: derive from it.
using detail::result_state;
/// The state that a future and its producer share, for any type.
using detail::future_state;
/// From a future to its state, and from a state to the future that owns it.
using detail::future_access;

/// A callable with its arguments, to be called once.
using detail::bound_call;
/// What calling a copy of a callable with copies of arguments returns.
using detail::result_of;

/// Something to be done when a state is final: `attach` it to the state.
using detail::dependent;
/// The continuations of one completion.
using detail::completions;
/// Adds a dependent to a state. False: the state is final already.
using detail::attach;
/// Queues a state that is deferred.
using detail::start_unstarted;
/// Gives a state its outcome and resumes its waiter, for code that is no task.
using detail::finish_and_resume;

}  // namespace weft::tasks
