// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stop tokens, whose callbacks may suspend.
#pragma once

#include "weft/tasks/inplace_stop_token.hpp"
#include "weft/tasks/stop_token.hpp"

namespace hpx {

namespace experimental {

/// Stop tokens whose source holds the callbacks itself: no allocation, and the source must outlive
/// the tokens.
using in_place_stop_source = weft::inplace_stop_source;
using in_place_stop_token = weft::inplace_stop_token;
template <class Callback>
using in_place_stop_callback = weft::inplace_stop_callback<Callback>;

}  // namespace experimental

using weft::nostopstate;
using weft::nostopstate_t;
using weft::stop_callback;
using weft::stop_callback_for_t;
using weft::stop_source;
using weft::stop_token;
}  // namespace hpx
