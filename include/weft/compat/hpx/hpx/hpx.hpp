// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that weft has of HPX.
#pragma once

#include <hpx/algorithm.hpp>             // IWYU pragma: export
#include <hpx/assert.hpp>                // IWYU pragma: export
#include <hpx/barrier.hpp>               // IWYU pragma: export
#include <hpx/channel.hpp>               // IWYU pragma: export
#include <hpx/chrono.hpp>                // IWYU pragma: export
#include <hpx/condition_variable.hpp>    // IWYU pragma: export
#include <hpx/config.hpp>                // IWYU pragma: export
#include <hpx/exception.hpp>             // IWYU pragma: export
#include <hpx/execution.hpp>             // IWYU pragma: export
#include <hpx/format.hpp>                // IWYU pragma: export
#include <hpx/functional.hpp>            // IWYU pragma: export
#include <hpx/future.hpp>                // IWYU pragma: export
#include <hpx/generator.hpp>             // IWYU pragma: export
#include <hpx/init.hpp>                  // IWYU pragma: export
#include <hpx/iostream.hpp>              // IWYU pragma: export
#include <hpx/latch.hpp>                 // IWYU pragma: export
#include <hpx/manage_runtime.hpp>        // IWYU pragma: export
#include <hpx/memory.hpp>                // IWYU pragma: export
#include <hpx/mutex.hpp>                 // IWYU pragma: export
#include <hpx/numeric.hpp>               // IWYU pragma: export
#include <hpx/performance_counters.hpp>  // IWYU pragma: export
#include <hpx/runtime.hpp>               // IWYU pragma: export
#include <hpx/semaphore.hpp>             // IWYU pragma: export
#include <hpx/shared_mutex.hpp>          // IWYU pragma: export
#include <hpx/stop_token.hpp>            // IWYU pragma: export
#include <hpx/task_block.hpp>            // IWYU pragma: export
#include <hpx/thread.hpp>                // IWYU pragma: export
#include <hpx/tuple.hpp>                 // IWYU pragma: export
#include <hpx/unwrap.hpp>                // IWYU pragma: export

#if defined(WEFT_HAS_LOCALITIES)
#include <hpx/partitioned_vector.hpp>  // IWYU pragma: export
#endif
