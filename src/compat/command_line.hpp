// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The differences between HPX's command-line options and weft's.
#pragma once

#include <string_view>

namespace hpx::compat {

/// Whether `argument` asks for as many workers as possible, which is weft's default.
[[nodiscard]] constexpr bool asks_for_all_workers(std::string_view argument) noexcept {
  return argument == "--hpx:threads=all" || argument == "--hpx:threads=cores";
}

inline constexpr std::string_view runs_everywhere_argument = "--hpx:run-hpx-main";

/// Stores the arguments that `hpx::detail::retrieve_commandline_arguments` reads.
void keep_arguments(int argc, char** argv);

}  // namespace hpx::compat
