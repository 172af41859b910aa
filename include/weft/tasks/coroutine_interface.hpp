// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What coroutines of other types need in order to await tasks, and to be awaited by them.
//
// Beside runtime_interface.hpp the door for modules that have coroutines of their own.
#pragma once

// IWYU pragma: begin_exports
#include "weft/tasks/detail/futures/coroutine_outcome.hpp"
#include "weft/tasks/detail/futures/coroutine_promise.hpp"
// IWYU pragma: end_exports

namespace weft::tasks {

/// What every weft coroutine has.
using detail::coroutine_promise;
/// A handle of any weft coroutine.
using detail::coroutine;
/// The result of a coroutine, for the code that awaits it.
using detail::outcome;

/// Memory for a coroutine's frame, from the calling worker's own supply.
using detail::allocate_frame;
using detail::free_frame;

}  // namespace weft::tasks
