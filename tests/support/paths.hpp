// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths that CMake knows. They are compiled in from the folder of the test program, as no path of a
// checkout stands in what is compiled: ccache then knows it in every checkout.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace weft::test {

/// Returns the path of a file that is named from the folder of the running program.
inline std::string beside_this_program(std::string_view path) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  return (program.parent_path() / path).lexically_normal().string();
}

}  // namespace weft::test
