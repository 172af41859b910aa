// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a bench program was built: weft_bench_program() compiles this into each program.
#pragma once

namespace weft::lab {

/// The properties of the build that make a record reproducible. Literals, so that each program's
/// source file for them includes nothing.
struct build_info {
  const char* program = "";    // "weft_stl_gnu"
  const char* toolchain = "";  // "gcc", "clang", "icpx", "nvcxx"
  const char* compiler = "";   // "g++ 12.2.0"
  const char* flags = "";      // as passed to the compiler, without warning options
  const char* weft_version = "";
  const char* git_commit = "";
};

/// Defined by the source file that weft_bench_program() generates.
build_info this_build();

}  // namespace weft::lab
