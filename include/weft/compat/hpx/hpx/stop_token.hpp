// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stop tokens, whose callbacks may suspend.
#pragma once

#include "weft/tasks/stop_token.hpp"

namespace hpx {
using weft::nostopstate;
using weft::nostopstate_t;
using weft::stop_callback;
using weft::stop_callback_for_t;
using weft::stop_source;
using weft::stop_token;
}  // namespace hpx
