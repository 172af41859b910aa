// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <system_error> under HPX's names.
#pragma once

#include <system_error>

namespace hpx {
using std::system_error;
}  // namespace hpx
