// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <any> under HPX's names.
#pragma once

#include <any>

namespace hpx {
using std::any;
using std::any_cast;
using std::bad_any_cast;
using std::make_any;
}  // namespace hpx
