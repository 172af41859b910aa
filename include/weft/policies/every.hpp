// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a function with the values of counters, periodically.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "weft/policies/policy.hpp"
#include "weft/policies/readings.hpp"

namespace weft::policies {

/// Calls `f` every `period` with the values of `counters`, until the returned policy ends.
///
/// A call that comes too late is not made up for. The first call comes after one period.
/// Cost:    a wake of the policies' thread and an evaluation of the counters per period.
/// Threads: any. `f` runs on the policies' thread and must not wait for long: other policies wait
///          meanwhile.
/// Errors:  `weft::error` for a period of 0 or less. `weft::error` with the nearest name for a
///          counter that does not exist. std::system_error if no thread can be started.
/// Example: examples/adaptive_policies.cpp
[[nodiscard]] policy every(std::chrono::nanoseconds period,
                           const std::vector<std::string>& counters,
                           std::function<void(const readings&)> f);

}  // namespace weft::policies
