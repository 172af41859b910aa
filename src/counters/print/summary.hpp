// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table for people: how each worker spent its time, and what slowed it down.
#pragma once

#include <string>
#include <vector>

#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

namespace weft::counters::detail {

/// Returns the counters of a summary that `from` has.
[[nodiscard]] std::vector<std::string> summary_counters(const registry& from);

/// Example: tests/counters/format_summary_test.cpp: every_worker_has_a_bar.
[[nodiscard]] std::string summary_text(const session_readings& readings);

}  // namespace weft::counters::detail
