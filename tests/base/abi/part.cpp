// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared object with a library of its own in it.
#include <string_view>

#include "weft/base/printable.hpp"

int PART();
int PART() { return weft::base::is_printable("text") ? 0 : 1; }
