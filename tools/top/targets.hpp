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
  bool is_alive = false;
  std::string program;
};

/// The folder that the environment names.
[[nodiscard]] std::filesystem::path stats_folder();

/// Every process whose counters the caller may read, those that were killed included.
///
/// Errors: `weft::error` if there is no such folder.
[[nodiscard]] std::vector<target> all_targets(const std::filesystem::path& folder);

/// The file of a process. Errors: `weft::error` that says why there is none.
[[nodiscard]] std::filesystem::path find_pid(const std::filesystem::path& folder,
                                             std::uint64_t pid);

/// The file of the only process that runs, or else of the only one that was killed.
/// Errors: `weft::error` if there is none, or with a list if there are several.
[[nodiscard]] std::filesystem::path find_only(const std::filesystem::path& folder);

/// "  4711  fib  (killed)", a line for each.
[[nodiscard]] std::string list_text(const std::vector<target>& targets);

}  // namespace weft::top
