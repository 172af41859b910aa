// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which files hold a program's code, and where in memory.
#pragma once

#include <string>

namespace weft::counters {

/// Returns a line per loaded file: three hexadecimal numbers and its path, separated by blanks.
///
/// The numbers are what to subtract from an address to get the file's own, and the first address
/// of its code and the first one behind it.
[[nodiscard]] std::string module_lines();

}  // namespace weft::counters
