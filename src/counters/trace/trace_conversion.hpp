// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a trace out of a file of rings.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "weft/counters/trace.hpp"

#include "counters/trace/trace_file.hpp"

namespace weft::counters::detail {

/// Writes what the rings hold, which may be written meanwhile.
///
/// Units:   `last`: only so much of the end; none: what the recording process asked for.
/// Errors:  `weft::error` if `destination` cannot be written.
trace_summary convert_trace(const trace_file_view& rings,
                            const std::filesystem::path& destination,
                            std::optional<std::chrono::nanoseconds> last = std::nullopt);

/// "trace FILE: 12 slices, ..." and how to look at it; lines.
[[nodiscard]] std::string describe(const trace_summary& trace);

}  // namespace weft::counters::detail
