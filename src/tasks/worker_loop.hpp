// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enters the loop that every worker runs, at the base of whatever stack it is on.
#pragma once

#include "weft/tasks/detail/worker.hpp"

namespace weft::tasks::detail {

/// Leaves the thread's own stack for a pooled one and works there until the runtime stops.
/// Errors: `weft::error` if there is no address space for a stack.
void enter_loop(worker& w);

}  // namespace weft::tasks::detail
