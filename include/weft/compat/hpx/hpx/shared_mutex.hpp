// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mutex for readers and writers.
#pragma once

#include <shared_mutex>

#include <hpx/config.hpp>

#include "weft/tasks/shared_mutex.hpp"

namespace hpx {
using weft::shared_mutex;
}
