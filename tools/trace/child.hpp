// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the program that is to be traced.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::tools {

/// How a program ended.
struct child_end {
  int code = 0;
  int signal = 0;  // 0: it ended by itself

  /// As a shell would give it on.
  [[nodiscard]] int exit_code() const noexcept { return signal == 0 ? code : 128 + signal; }
};

/// Runs `program` with its rings beside `output`, and waits for its end.
///
/// Ctrl-C goes to the program alone.
/// Errors: `weft::error` if it cannot be started.
[[nodiscard]] child_end run_traced(const std::vector<std::string>& program,
                                   const std::filesystem::path& output,
                                   const std::optional<std::string>& buffer);

}  // namespace weft::tools
