// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of a bench program.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/harness/experiment.hpp"

namespace weft::lab {

/// The user's request.
struct command_line {
  bool wants_help = false;
  bool wants_list = false;
  bool wants_stream = false;
  bool wants_json = false;
  bool names_placement = false;  // --placement or --smt is given
  std::string output;            // file for the records; empty: standard output
  std::string gbench_json;       // file for Google-Benchmark-compatible JSON; empty: none
  cell defaults;                 // the given fields of the cell, first values
  std::vector<cell> cells;       // problems x types x sizes x threads; empty without --problem
};

/// Parses the arguments after the program's name.
///
/// Errors:  `bad_cell` naming the cell field, or the option itself if it does not exist or lacks
///          its value.
[[nodiscard]] command_line parse_command_line(std::span<const std::string> arguments);

/// Returns the text of `--help`.
[[nodiscard]] std::string help_text(const std::string& program, const suite& what);

}  // namespace weft::lab
