// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enters the loop that every worker runs at the base of a stack, and goes from stack to stack.
#pragma once

#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft::tasks::detail {

/// Leaves the thread's own stack for `base` and works there until the runtime stops.
void enter_loop(worker& w, stack& base) noexcept;

/// Where the visit of `w` begins: the base of its last one, if that was kept. Null: there is no
/// stack to be had.
stack* visit_base_of(worker& w) noexcept;

/// Leaves the thread's own stack for `base`, runs what the calling visitor is there for, and works
/// until that has ended or the visitor has looked in vain.
void run_visit(stack& base) noexcept;

/// Continues on `to`. Returns, perhaps on another thread, when somebody continues on this stack.
/// `first` is called there before anything else, and is told of the stack that was left.
void switch_to(worker& w, stack& to, arrival* first) noexcept;

/// For `switch_to`: gives the stack that is left back to the pool, for nobody will come back to it.
extern constinit arrival recycle;

/// `fresh`, which `w` has acquired, ready to call `entry(argument)` at its base.
stack& prepared(worker& w, stack& fresh, void (*entry)(void*) noexcept, void* argument) noexcept;

/// The same, with the loop as what is called.
stack& prepared_for_loop(worker& w, stack& fresh) noexcept;

/// A stack for `w` to go on with in its loop; null: there is none to be had.
stack* loop_stack(worker& w) noexcept;

/// In debug builds: after a task nobody holds a mutex, or nobody could ever unlock it.
void check_nothing_is_held();

/// Suspends the caller until `resume(*e.node)`; the worker goes on with `next`.
void suspend_to(worker& w, stack& next, enlistment& e) noexcept;

/// Waits on the present stack, since there is no other: looks after ready tasks meanwhile.
///
/// A waiter that became ready is gone on as; that takes no stack, and the caller is then enlisted.
/// Any other task runs as a call above the caller if there is room: as a task of its own, whose
/// waits that can be called off fail, lest it waits for the caller below. Its joins cannot fail:
/// one that waits for a task that waits for what the caller below holds, a mutex say, never ends.
void wait_in_place(enlistment& e, const end_check& end) noexcept;

}  // namespace weft::tasks::detail
