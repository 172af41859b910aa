// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bench program without its process: arguments and streams in, records and exit code out.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "lab/harness/build_info.hpp"
#include "lab/harness/experiment.hpp"

namespace weft::lab {

/// Where a bench program reads and writes.
struct bench_streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& errors;
  bool out_is_terminal = false;
};

/// Does everything `bench_main` does except starting the process again for its placement.
///
/// Errors:  returns the exit code of docs/reference/records.md; 1 if records could not be written.
int run_bench(std::span<const std::string> arguments,
              const suite& what,
              const build_info& build,
              const bench_streams& streams);

}  // namespace weft::lab
