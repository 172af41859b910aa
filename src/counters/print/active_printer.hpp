// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates the counters of a plan at the planned times, and prints them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

#include "counters/print/counter_options.hpp"
#include "counters/print/formats.hpp"
#include "counters/print/print_destination.hpp"

namespace weft::counters::detail {

/// Threads: every member except the destructor from any thread. Intervals have a thread of their
///          own.
/// Example: tests/counters/active_printer_test.cpp: everything_is_printed_at_the_end.
class active_printer {
 public:
  /// Errors:  `weft::error` for a counter that does not exist, a destination that cannot be written,
  ///          and a column that would have to hold several counters.
  active_printer(const counter_plan& plan, registry& from);
  active_printer(const active_printer&) = delete;
  active_printer& operator=(const active_printer&) = delete;
  /// Ends the thread. Prints nothing more.
  ~active_printer();

  void print(std::string_view description);
  void reset();
  /// Ends the thread and prints what the plan wants at the end. Nothing is printed afterwards.
  void finish();

 private:
  using clock = std::chrono::steady_clock;

  /// Counters that are printed together.
  struct group {
    std::chrono::nanoseconds interval;
    std::optional<session> kept;
    std::optional<session> reset;  // counters that are reset after each evaluation
    clock::time_point due = {};
  };

  void start_output(const counter_plan& plan, registry& from);
  [[nodiscard]] std::vector<std::string> column_names() const;
  void print_groups(const std::vector<group*>& groups, std::string_view description);
  void report_missing_values(const session_readings& readings);
  void print_at_intervals(const std::stop_token& stop);
  [[nodiscard]] std::vector<group*> all_groups();
  [[nodiscard]] std::vector<group*> due_groups(clock::time_point now);

  const clock::time_point start_ = clock::now();
  const bool at_shutdown_;
  std::mutex mutex_;  // protects all members below except the thread
  std::vector<group> groups_;
  std::vector<std::string> columns_;
  std::unique_ptr<formatter> formatter_;
  std::unique_ptr<print_destination> destination_;
  std::set<std::string> reported_;  // counters whose missing value has been explained
  std::uint64_t num_printed_ = 0;
  bool is_finished_ = false;
  std::condition_variable_any wakes_;
  std::jthread thread_;  // the last member, so that the thread ends first
};

}  // namespace weft::counters::detail
