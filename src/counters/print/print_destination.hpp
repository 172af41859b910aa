// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The destination of printed counters: a stream of the process, a file, or none.
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
  /// `name`: stdout, cout, stderr, none or a file. `replaces`: each text replaces the previous one,
  /// so a reader of the file finds exactly one complete text.
  ///
  /// Errors: `weft::error` for a file that cannot be written.
  print_destination(const std::string& name, bool replaces, bool adds_rank = true);

  /// Writes `text`. Sends one message about the first failure; the program continues.
  void write(std::string_view text);

 private:
  /// Both return an error message; empty: success.
  [[nodiscard]] std::string open_file();
  [[nodiscard]] std::string problem_of_replacing(std::string_view text) const;

  std::string file_;  // empty: a stream of the process
  bool replaces_ = false;
  bool has_failed_ = false;
  std::FILE* stream_ = nullptr;  // null: nowhere
  weft::detail::output_stream owned_;
};

/// Adds the rank to a file's name if a launcher has started several processes: "counters.csv.3".
[[nodiscard]] std::string with_rank(const std::string& file,
                                    const base::environment_lookup& lookup);

}  // namespace weft::counters::detail
