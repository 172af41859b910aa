// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A view for other programs: JSON, CSV and OpenMetrics.
#pragma once

#include <string>

#include "top/view.hpp"

namespace weft::top {

/// One JSON object in one line, without its end. What is not known is null.
///
/// Units: in the names of the members.
/// Example: tests/top/test_top.py: look, and tests/top/top_schema.json.
[[nodiscard]] std::string json_text(const view& of);

[[nodiscard]] std::string csv_header();
/// A line per worker; without workers one for those who are gone. What is not known is empty.
[[nodiscard]] std::string csv_text(const view& of);

/// Totals since the start of the process, as the program itself would write them.
[[nodiscard]] std::string metrics_text(const view& of);

}  // namespace weft::top
