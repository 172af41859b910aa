// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options that say which counters are printed, when, how and where.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/options.hpp"

#include "counters/print/formats.hpp"

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
[[nodiscard]] base::option_parser<std::chrono::nanoseconds> interval_text();
[[nodiscard]] base::option_parser<counter_request> counter_request_text();
[[nodiscard]] base::option_parser<selection> selection_text();

/// Which of the counters there are to list.
enum class list_extent : std::uint8_t { minimal, full };

/// All that the options say.
struct counter_plan {
  std::vector<counter_request> counters = {};
  bool with_summary = false;             // of where the time went, or the counters it is made of
  std::chrono::nanoseconds interval{0};  // of those without one of their own; zero: none
  print_format format = print_format::normal;
  std::string destination = "stderr";
  bool csv_header = true;
  bool with_types = false;
  bool at_startup = false;
  bool at_shutdown = true;
  std::optional<list_extent> list = std::nullopt;
  std::optional<list_extent> list_infos = std::nullopt;
  bool should_exit = false;
  bool is_of_environment = false;  // no option but variables: mistakes must not end the program

  [[nodiscard]] bool prints() const noexcept { return with_summary || !counters.empty(); }
  [[nodiscard]] bool lists() const noexcept { return list || list_infos; }
};

/// Adds the options, and lets `registry` read them as HPX writes them, too.
void register_counter_options(base::option_registry& registry);

/// Errors: `weft::error` for options that say how to print when nothing is to be printed, and for
///         short names where there is no place for them. If only variables ask for counters, a
///         message, and a plan that prints nothing.
[[nodiscard]] counter_plan read_counter_options(const base::option_registry& registry);

/// What the variables of the environment say, for programs that read no arguments.
///
/// Errors: none; messages say which variables are ignored.
[[nodiscard]] counter_plan counter_plan_from_environment();

/// Sends the message that no counters are printed, and why.
void report_not_counted(const std::exception& mistake);

}  // namespace weft::counters::detail
