// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a bench program was built: baked into each program by weft_bench_program().
#pragma once

#include <string>

namespace weft::lab {

/// What a record has to say about the build to be reproducible.
struct build_info {
  std::string program;    // "weft_stl_gnu"
  std::string toolchain;  // "gcc", "clang", "icpx", "nvcxx"
  std::string compiler;   // "g++ 12.2.0"
  std::string flags;      // as given to the compiler, warnings left out
  std::string weft_version;
  std::string git_commit;
};

/// Defined by the source file that weft_bench_program() generates.
build_info this_build();

}  // namespace weft::lab
