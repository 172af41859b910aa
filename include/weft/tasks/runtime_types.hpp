// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of runtime_interface.hpp, for headers that only name or derive from them.
#pragma once

// IWYU pragma: begin_exports
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"
// IWYU pragma: end_exports

namespace weft::tasks {

namespace detail {
class scheduler;
struct worker;
}  // namespace detail

/// The base class of work items of a runtime; give the constructor a function that runs the item.
///
/// The function returns the waiter that it made ready, or null. A work item lives wherever its
/// maker likes, until it has run; nothing is allocated for it.
using work_item = detail::task;

/// The workers and queues of one runtime. Others only refer to it.
using detail::scheduler;

/// One OS thread of a runtime. Others only refer to it.
using detail::worker;

/// One wait of a task or OS thread, in the frame that waits.
using detail::waiter;

/// Marks a work item as `work_item::finished` or `failed`; returns its waiter, to be resumed, or
/// null.
using detail::complete;

/// A lock for sections of a few dozen instructions that never suspend.
using detail::spin_lock;

/// Tells the processor that the caller looks at the same memory over and over.
using detail::spin_pause;

}  // namespace weft::tasks
