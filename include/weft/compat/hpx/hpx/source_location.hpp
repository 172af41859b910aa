// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <source_location> under HPX's names.
#pragma once

#include <source_location>

namespace hpx {
using std::source_location;
}  // namespace hpx
