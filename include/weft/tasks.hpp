// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The task runtime: all of weft::tasks. One header per name compiles faster:
// weft/tasks/fork_join.hpp.
#pragma once

#include "weft/tasks/annotation.hpp"          // IWYU pragma: export
#include "weft/tasks/async.hpp"               // IWYU pragma: export
#include "weft/tasks/barrier.hpp"             // IWYU pragma: export
#include "weft/tasks/blocking.hpp"            // IWYU pragma: export
#include "weft/tasks/channel.hpp"             // IWYU pragma: export
#include "weft/tasks/condition_variable.hpp"  // IWYU pragma: export
#include "weft/tasks/coroutine_async.hpp"     // IWYU pragma: export
#include "weft/tasks/coroutine_fork.hpp"      // IWYU pragma: export
#include "weft/tasks/coroutine_future.hpp"    // IWYU pragma: export
#include "weft/tasks/dataflow.hpp"            // IWYU pragma: export
#include "weft/tasks/deadlock.hpp"            // IWYU pragma: export
#include "weft/tasks/event.hpp"               // IWYU pragma: export
#include "weft/tasks/fork_join.hpp"           // IWYU pragma: export
#include "weft/tasks/future.hpp"              // IWYU pragma: export
#include "weft/tasks/future_error.hpp"        // IWYU pragma: export
#include "weft/tasks/futures.hpp"             // IWYU pragma: export
#include "weft/tasks/generator.hpp"           // IWYU pragma: export
#include "weft/tasks/inplace_stop_token.hpp"  // IWYU pragma: export
#include "weft/tasks/latch.hpp"               // IWYU pragma: export
#include "weft/tasks/launch.hpp"              // IWYU pragma: export
#include "weft/tasks/lazy_task.hpp"           // IWYU pragma: export
#include "weft/tasks/lock.hpp"                // IWYU pragma: export
#include "weft/tasks/mutex.hpp"               // IWYU pragma: export
#include "weft/tasks/once.hpp"                // IWYU pragma: export
#include "weft/tasks/packaged_task.hpp"       // IWYU pragma: export
#include "weft/tasks/parallel_for.hpp"        // IWYU pragma: export
#include "weft/tasks/pipeline.hpp"            // IWYU pragma: export
#include "weft/tasks/placement.hpp"           // IWYU pragma: export
#include "weft/tasks/post.hpp"                // IWYU pragma: export
#include "weft/tasks/promise.hpp"             // IWYU pragma: export
#include "weft/tasks/runtime.hpp"             // IWYU pragma: export
#include "weft/tasks/runtime_options.hpp"     // IWYU pragma: export
#include "weft/tasks/semaphore.hpp"           // IWYU pragma: export
#include "weft/tasks/shared_future.hpp"       // IWYU pragma: export
#include "weft/tasks/shared_mutex.hpp"        // IWYU pragma: export
#include "weft/tasks/spinlock.hpp"            // IWYU pragma: export
#include "weft/tasks/split_future.hpp"        // IWYU pragma: export
#include "weft/tasks/stop_token.hpp"          // IWYU pragma: export
#include "weft/tasks/task_graph.hpp"          // IWYU pragma: export
#include "weft/tasks/task_group.hpp"          // IWYU pragma: export
#include "weft/tasks/this_task.hpp"           // IWYU pragma: export
#include "weft/tasks/thread.hpp"              // IWYU pragma: export
#include "weft/tasks/timing_mode.hpp"         // IWYU pragma: export
#include "weft/tasks/unwrapping.hpp"          // IWYU pragma: export
#include "weft/tasks/when_all.hpp"            // IWYU pragma: export
#include "weft/tasks/when_any.hpp"            // IWYU pragma: export
#include "weft/tasks/when_each.hpp"           // IWYU pragma: export
