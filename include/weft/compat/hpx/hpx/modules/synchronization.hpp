// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that tasks wait for each other with.
#pragma once

#include <hpx/barrier.hpp>                  // IWYU pragma: export
#include <hpx/channel.hpp>                  // IWYU pragma: export
#include <hpx/compat/async_rw_mutex.hpp>    // IWYU pragma: export
#include <hpx/compat/bounded_channels.hpp>  // IWYU pragma: export
#include <hpx/condition_variable.hpp>       // IWYU pragma: export
#include <hpx/latch.hpp>                    // IWYU pragma: export
#include <hpx/mutex.hpp>                    // IWYU pragma: export
#include <hpx/semaphore.hpp>                // IWYU pragma: export
#include <hpx/shared_mutex.hpp>             // IWYU pragma: export
#include <hpx/stop_token.hpp>               // IWYU pragma: export

#include "weft/tasks/event.hpp"

namespace hpx::lcos::local {
using weft::event;
}
