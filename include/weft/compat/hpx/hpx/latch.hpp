// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Latches that suspend tasks.
#pragma once

#include <hpx/config.hpp>

#include "weft/tasks/latch.hpp"

namespace hpx {
using weft::latch;
namespace lcos::local {
using hpx::latch;
}
}  // namespace hpx
