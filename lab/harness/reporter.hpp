// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes each outcome to the user's output at once, and determines the exit code.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "lab/harness/records.hpp"

namespace weft::lab {

/// The output format of outcomes.
struct report_form {
  bool is_summary = false;  // one readable line per cell instead of JSON lines
  bool is_stream = false;   // errors are written to the records only
  std::string gbench_json;  // file for Google-Benchmark-compatible JSON; empty: none
};

/// The output of a bench program.
class reporter {
 public:
  reporter(std::ostream& out, std::ostream& errors, report_form form, program_facts facts);

  /// Writes the program record.
  void start();
  /// Writes one outcome.
  /// Errors:  `weft::error` if the line cannot be written.
  void add(const outcome& answer);
  /// Writes the Google-Benchmark file.
  /// Errors:  `weft::error` if it cannot be written.
  void finish();
  /// The exit code: 0, 2 if there was an error, 4 if there was a wrong answer.
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }
  [[nodiscard]] const program_facts& facts() const noexcept { return facts_; }

 private:
  void write(const std::string& line);

  std::ostream& out_;
  std::ostream& errors_;
  report_form form_;
  program_facts facts_;
  std::vector<outcome> for_gbench_;
  int exit_code_ = 0;
};

/// Returns one readable line: the cell, and the time of a call.
[[nodiscard]] std::string summary_line(const outcome& answer);

/// Returns `seconds` with a fitting unit and three significant digits: "12.2 ms".
[[nodiscard]] std::string duration_text(double duration_s);

}  // namespace weft::lab
