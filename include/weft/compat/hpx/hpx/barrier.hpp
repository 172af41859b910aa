// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers that suspend tasks.
#pragma once

#include <hpx/config.hpp>

#include "weft/tasks/barrier.hpp"

namespace hpx {
using weft::barrier;
namespace lcos::local {
using barrier = weft::barrier<>;
}
}  // namespace hpx
