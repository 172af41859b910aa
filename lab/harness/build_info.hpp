// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a bench program was built: baked into each program by weft_bench_program().
#pragma once

namespace weft::lab {

/// What a record has to say about the build to be reproducible. Literals, so that the source file
/// which each program has for them includes nothing.
struct build_info {
  const char* program = "";    // "weft_stl_gnu"
  const char* toolchain = "";  // "gcc", "clang", "icpx", "nvcxx"
  const char* compiler = "";   // "g++ 12.2.0"
  const char* flags = "";      // as given to the compiler, warnings left out
  const char* weft_version = "";
  const char* git_commit = "";
};

/// Defined by the source file that weft_bench_program() generates.
build_info this_build();

}  // namespace weft::lab
