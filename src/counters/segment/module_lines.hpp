// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files that contain a program's code, and their addresses in memory.
#pragma once

#include <string>

namespace weft::counters {

/// Returns a line per loaded file: three hexadecimal numbers and its path, separated by blanks.
///
/// The first number is subtracted from an address to get the file's own address. The others are the
/// first address of the file's code, and the first address behind it.
[[nodiscard]] std::string module_lines();

}  // namespace weft::counters
