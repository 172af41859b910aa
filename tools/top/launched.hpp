// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that weft-top started.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::top {

/// Where the output of a program goes that is watched.
enum class program_output : std::uint8_t {
  kept,            // into a file without a name, printed when it is no longer watched
  standard_error,  // all of it: standard output belongs to weft-top
};

/// A child process.
///
/// Errors: the constructor throws `weft::error` if it cannot be started.
class launched {
 public:
  launched(const std::vector<std::string>& program, program_output output);
  launched(const launched&) = delete;
  launched& operator=(const launched&) = delete;
  ~launched();

  /// The file of the program's counters, or of a process that it started; nothing as long as
  /// neither has laid one out.
  [[nodiscard]] std::optional<std::filesystem::path> find_file(
      const std::filesystem::path& folder) const;

  /// True if it has ended.
  [[nodiscard]] bool has_ended();
  /// Prints what it kept, and what comes, until the program ends. Returns its exit code; 128 and
  /// the signal if one ended it.
  int finish();

 private:
  void print_output();

  int pid_ = -1;
  int output_ = -1;
  std::int64_t printed_bytes_ = 0;
  std::optional<int> exit_code_;
};

}  // namespace weft::top
