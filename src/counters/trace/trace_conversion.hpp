// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts a file of rings to a trace.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "weft/counters/trace.hpp"

#include "counters/trace/trace_file.hpp"

namespace weft::counters::detail {

/// Writes the content of the rings, which may change meanwhile.
///
/// Units:   `last`: the duration at the end to write; none: as the recording process asked.
/// Errors:  `weft::error` if `destination` cannot be written.
trace_summary convert_trace(const trace_file_view& rings,
                            const std::filesystem::path& destination,
                            std::optional<std::chrono::nanoseconds> last = std::nullopt);

/// Returns lines that begin with "trace FILE: 12 slices, ...", and that say how to view the trace.
[[nodiscard]] std::string describe(const trace_summary& trace);

}  // namespace weft::counters::detail
