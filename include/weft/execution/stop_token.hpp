// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stop tokens under the names that senders use.
#pragma once

#include "weft/tasks/inplace_stop_token.hpp"  // IWYU pragma: export

namespace weft::execution {

using weft::inplace_stop_callback;
using weft::inplace_stop_source;
using weft::inplace_stop_token;
using weft::never_stop_token;
using weft::stop_callback_for_t;
using weft::stoppable_token;
using weft::unstoppable_token;

}  // namespace weft::execution
