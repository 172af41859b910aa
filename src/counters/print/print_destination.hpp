// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where counters are printed: a stream of the process, a file, or nowhere.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "weft/base/options.hpp"

#include "base/output_file.hpp"

namespace weft::counters::detail {

/// Example: tests/counters/print_destination_test.cpp: a_file_is_written_anew.
class print_destination {
 public:
  /// `name`: stdout, cout, stderr, none or a file. `replaces`: each text takes the place of the one
  /// before, so that whoever reads the file finds one of them, and a whole one.
  ///
  /// Errors: `weft::error` for a file that cannot be written.
  print_destination(const std::string& name, bool replaces);

  /// What cannot be written is said once, as a message; the program goes on.
  void write(std::string_view text);

 private:
  /// Both return what went wrong; empty: nothing.
  [[nodiscard]] std::string open_file();
  [[nodiscard]] std::string problem_of_replacing(std::string_view text) const;

  std::string file_;  // empty: a stream of the process
  bool replaces_ = false;
  bool has_failed_ = false;
  std::FILE* stream_ = nullptr;  // null: nowhere
  weft::detail::output_stream owned_;
};

/// Adds the rank to a file's name if a launcher started several processes: "counters.csv.3".
[[nodiscard]] std::string with_rank(const std::string& file,
                                    const base::environment_lookup& lookup);

}  // namespace weft::counters::detail
