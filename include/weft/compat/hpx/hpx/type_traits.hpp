// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <type_traits> under HPX's names.
#pragma once

#include <type_traits>

namespace hpx {
using std::decay_t;
using std::is_invocable;
using std::is_invocable_r_v;
using std::is_invocable_v;
}  // namespace hpx
