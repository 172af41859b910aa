// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hpx::cout: the standard's.
#pragma once

#include <iostream>
#include <ostream>

namespace hpx {
using std::cerr;
using std::cout;
using std::endl;
using std::flush;
}  // namespace hpx
