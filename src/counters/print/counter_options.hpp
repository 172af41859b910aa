// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options for which counters are printed, when, how, and where.
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

/// `50ms:tasks,/threads/count/cumulative`: a counter with an optional interval and short name.
struct counter_request {
  std::string name;
  std::string short_name = {};
  // none: the interval of all counters
  std::optional<std::chrono::nanoseconds> interval = std::nullopt;
  bool is_reset = false;  // after each evaluation

  bool operator==(const counter_request&) const = default;
};

/// The value of WEFT_COUNTERS: "1", "0", or counters separated by `;`.
struct selection {
  bool is_summary = false;
  std::vector<counter_request> counters = {};
};

/// Whole milliseconds, as in HPX, or a duration with its unit.
[[nodiscard]] base::option_parser<std::chrono::nanoseconds> interval_text();
[[nodiscard]] base::option_parser<counter_request> counter_request_text();
[[nodiscard]] base::option_parser<selection> selection_text();

/// The counters to list.
enum class list_extent : std::uint8_t { minimal, full };

/// The values of all options.
struct counter_plan {
  std::vector<counter_request> counters = {};
  bool with_summary = false;             // a summary of where the time went, or its counters
  std::chrono::nanoseconds interval{0};  // for counters without their own interval; zero: none
  print_format format = print_format::normal;
  std::string destination = "stderr";
  bool csv_header = true;
  bool with_types = false;
  bool is_local = false;    // each process of a job prints its own counters
  bool is_for_job = false;  // one process prints for all
  bool at_startup = false;
  bool at_shutdown = true;
  std::optional<list_extent> list = std::nullopt;
  std::optional<list_extent> list_infos = std::nullopt;
  bool should_exit = false;
  // set by environment variables only: a mistake must not end the program
  bool is_of_environment = false;

  [[nodiscard]] bool prints() const noexcept { return with_summary || !counters.empty(); }
  [[nodiscard]] bool lists() const noexcept { return list || list_infos; }
};

/// Adds the options to `registry`, and accepts HPX's spelling of them.
void register_counter_options(base::option_registry& registry);

/// Errors:  `weft::error` for printing options when nothing is to be printed, and for short names
///          where the format has no place for them. If only environment variables ask for counters,
///          sends a message instead, and returns a plan that prints nothing.
[[nodiscard]] counter_plan read_counter_options(const base::option_registry& registry);

/// Returns the plan that the environment variables describe, for programs that read no arguments.
///
/// Errors:  none; messages name the variables that are ignored.
[[nodiscard]] counter_plan counter_plan_from_environment();

/// Sends the message that no counters are printed, with the reason.
void report_not_counted(const std::exception& mistake);

}  // namespace weft::counters::detail
