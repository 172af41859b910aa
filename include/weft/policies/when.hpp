// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a function when a condition over counters has held for some time.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "weft/policies/policy.hpp"
#include "weft/policies/readings.hpp"

namespace weft::policies {

/// What `when` reads, how often, and how long its condition must hold.
struct when_options {
  std::vector<std::string> counters = {};
  std::chrono::nanoseconds period = std::chrono::milliseconds(100);
  unsigned num_periods = 3;
};

/// Calls `f` once as soon as `condition` has held for `num_periods` periods in a row. Calls it again
/// only after the condition was false in between.
///
/// Cost:    as `every`.
/// Threads: as `every`.
/// Errors:  as `every`; `weft::error` for 0 periods.
/// Example: tests/policies/policies_test.cpp: a_condition_must_hold_for_some_periods.
[[nodiscard]] policy when(const when_options& options,
                          std::function<bool(const readings&)> condition,
                          std::function<void(const readings&)> f);

}  // namespace weft::policies
