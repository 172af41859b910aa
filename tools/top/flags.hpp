// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is wrong with a process, as far as it can be seen.
#pragma once

#include <vector>

#include "top/view.hpp"

namespace weft::top {

/// What a view without flags shows to be wrong.
///
/// STOPPED: the process is, by a signal or a debugger.
/// STALLED: for a second or more all workers sleep while tasks wait, or tasks are queued and nobody
///          executes any.
/// LONG:    for ten seconds or more a worker has been in the same task.
/// Units:   `without_tasks_s`: for so long no worker has ended a task.
/// Example: tests/top/view_test.cpp: a_deadlock_is_called_stalled.
[[nodiscard]] std::vector<flag> flags_of(const view& of,
                                         char process_state,
                                         double without_tasks_s);

}  // namespace weft::top
