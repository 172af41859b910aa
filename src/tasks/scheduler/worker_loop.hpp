// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop that every worker runs at the base of a stack, and switches between stacks.
#pragma once

#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft::tasks::detail {

/// Leaves the thread's own stack for `base`, and runs tasks there until the runtime stops.
void enter_loop(worker& w, stack& base) noexcept;

/// Returns the stack on which the visit of `w` begins: the base of its last visit, if that was
/// kept. Null: no stack is available.
stack* visit_base_of(worker& w) noexcept;

/// Leaves the thread's own stack for `base`, runs the visitor's root task, and then other tasks.
/// Returns when the root task has ended, or the visitor has found no task for long.
void run_visit(stack& base) noexcept;

/// Continues on `to`. Returns, perhaps on another thread, when a thread switches back to this
/// stack. `first` is called on `to` before anything else, and gets the stack that was left.
void switch_to(worker& w, stack& to, arrival* first) noexcept;

/// For `switch_to`: returns the stack that is left to the pool, because it will not be resumed.
extern constinit arrival recycle;

/// Prepares `fresh`, which `w` has acquired, to call `entry(argument)` at its base.
stack& prepared(worker& w, stack& fresh, void (*entry)(void*) noexcept, void* argument) noexcept;

/// Prepares `fresh` to run the loop.
stack& prepared_for_loop(worker& w, stack& fresh) noexcept;

/// Returns a stack on which `w` can continue its loop. Null: no stack is available.
stack* loop_stack(worker& w) noexcept;

/// In debug builds, checks after a task that it holds no mutex, which could never be unlocked.
void check_nothing_is_held();

/// Suspends the caller until `resume(*e.node)`. The worker continues on `next`.
void suspend_to(worker& w, stack& next, enlistment& e) noexcept;

/// Waits on the current stack, since no other is available, and runs ready tasks meanwhile.
///
/// Resuming a ready waiter takes no stack; the caller is enlisted then. Any other task runs as a
/// nested call above the caller if there is room. It is a task of its own: its waits that can throw
/// do throw, because it must not wait for the caller below it. Its joins cannot throw. If such a
/// join waits for a task that needs, for example, a mutex that the caller holds, the join never
/// ends.
void wait_in_place(enlistment& e, const end_check& end) noexcept;

}  // namespace weft::tasks::detail
