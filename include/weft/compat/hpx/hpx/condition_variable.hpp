// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Condition variables that suspend tasks.
#pragma once

#include <hpx/mutex.hpp>

#include "weft/tasks/condition_variable.hpp"

namespace hpx {
using weft::condition_variable;
using weft::condition_variable_any;
using weft::cv_status;
}  // namespace hpx
