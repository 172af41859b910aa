// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which processes there are to look at.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/counters/segment_files.hpp"

namespace weft::top {

struct target {
  counters::segment_file file;
  counters::segment_check check;
  std::string program;  // empty: not read, since the file is not trusted

  [[nodiscard]] bool is_trusted() const {
    return check.standing != counters::segment_standing::not_trusted;
  }
  [[nodiscard]] bool is_alive() const {
    return check.standing == counters::segment_standing::running ||
           check.standing == counters::segment_standing::unseen;
  }
};

/// The folder that the environment names.
[[nodiscard]] std::filesystem::path stats_folder();

/// Every file of counters that the caller may read: those of killed processes and those that are
/// not trusted included.
///
/// Errors: `weft::error` if there is no such folder.
[[nodiscard]] std::vector<target> all_targets(const std::filesystem::path& folder);

/// The file of a process: its own, or if there is no such process any more, what one left behind.
/// Errors: `weft::error` that says why there is none.
[[nodiscard]] std::filesystem::path find_pid(const std::filesystem::path& folder,
                                             std::uint64_t pid);

/// The file of the only process that runs, or else of the only one that was killed; of the caller's
/// own processes, if the caller is not root and has any.
/// Errors: `weft::error` if there is none, or with a list if there are several.
[[nodiscard]] std::filesystem::path find_only(const std::filesystem::path& folder);

/// "  4711  fib  (killed)", a line for each.
[[nodiscard]] std::string list_text(const std::vector<target>& targets);

}  // namespace weft::top
