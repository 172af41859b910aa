// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads counters for a policy: their values, and how much they changed since the last call.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weft/counters/session.hpp"
#include "weft/policies/readings.hpp"

namespace weft::policies::detail {

/// Threads: one thread at a time.
class counter_reader {
 public:
  /// Errors: `weft::error` for a counter that does not exist.
  explicit counter_reader(const std::vector<std::string>& counters) : session_(counters) {}

  [[nodiscard]] readings read();

 private:
  counters::session session_;
  std::chrono::nanoseconds before_{0};  // time of the last call, since the session's start
  // Sums of the counters that count. Nothing: a change was unknown, so the sum is.
  std::map<std::string, std::optional<double>> sums_;
};

}  // namespace weft::policies::detail
