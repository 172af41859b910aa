// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels, guards and events.
#pragma once

#include <hpx/channel.hpp>                  // IWYU pragma: export
#include <hpx/compat/guards.hpp>            // IWYU pragma: export
#include <hpx/modules/synchronization.hpp>  // IWYU pragma: export
