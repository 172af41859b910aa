// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is asked for in one text: a counter with what is said about it, or a selection of counters.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/options.hpp"

namespace weft::counters::detail {

/// `50ms:tasks,/threads/count/cumulative`: a counter, perhaps with an interval and a short name.
struct counter_request {
  std::string name;
  std::string short_name = {};
  std::optional<std::chrono::nanoseconds> interval = std::nullopt;  // none: that of all counters
  bool is_reset = false;                                            // after each evaluation

  bool operator==(const counter_request&) const = default;
};

/// What WEFT_COUNTERS says: "1", "0", or counters with `;` between them.
struct selection {
  bool is_summary = false;
  std::vector<counter_request> counters = {};
};

/// Whole milliseconds as HPX has it, or a duration with its unit.
[[nodiscard]] option_parser<std::chrono::nanoseconds> interval_text();
[[nodiscard]] option_parser<counter_request> counter_request_text();
[[nodiscard]] option_parser<selection> selection_text();

}  // namespace weft::counters::detail
