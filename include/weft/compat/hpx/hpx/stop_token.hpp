// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stop tokens: the standard's.
#pragma once

#include <stop_token>

namespace hpx {
using std::nostopstate;
using std::nostopstate_t;
using std::stop_callback;
using std::stop_source;
using std::stop_token;
}  // namespace hpx
