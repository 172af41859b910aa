// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one can ask of weft-trace.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tools {

struct trace_arguments {
  bool wants_help = false;
  std::optional<std::filesystem::path> output;  // none: trace.pftrace, or what the rings are called
  std::optional<std::chrono::nanoseconds> last;
  std::optional<std::string> buffer;         // checked, and handed on as it is
  std::vector<std::filesystem::path> rings;  // to recover
  std::vector<std::string> program;
};

inline constexpr std::string_view trace_usage =
    "usage: weft trace [--output FILE] [--last 10s] [--buffer 64MiB] -- PROGRAM [ARGUMENTS...]\n"
    "       weft trace --recover FILE.rings... [--output FILE] [--last 10s]\n"
    "\n"
    "Runs PROGRAM and writes what its workers did, also if it crashes or is killed; or writes "
    "what\n"
    "the rings of a process hold that was traced with WEFT_TRACE: crashed, killed, or still "
    "running.\n"
    "Open the trace at https://ui.perfetto.dev.\n"
    "\n"
    "  -o, --output FILE   the trace; trace.pftrace. FILE.json is written as Chrome's JSON\n"
    "  --last DURATION     only so much of the end\n"
    "  --buffer SIZE       what each worker remembers; 4 MiB, which are 131071 events\n"
    "  --recover FILE      a file of rings\n"
    "\n"
    "Exit code: PROGRAM's own, 128 and the signal's number if one ended it; 1 there is no trace;\n"
    "2 it was asked for something that does not exist.\n";

/// Errors: `weft::error` that says what to type instead.
[[nodiscard]] trace_arguments parse_arguments(std::span<const std::string> arguments);

}  // namespace weft::tools
