// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of counters that a policy sees.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::policies {

/// The value of one counter. An unknown value is empty, never 0.
struct reading {
  std::string name;  // in full: "/threads{locality#0/total}/idle-rate"
  std::string unit;
  /// Of a counter that counts: since the policy began. Of an average or a rate: in the time since
  /// the last call. Of other counters: now.
  std::optional<double> value;
  /// Of a counter that counts: the difference since the last call.
  std::optional<double> change;
  std::string reason;  // why `value` is unknown
};

/// The values of all counters of a policy, read at one moment.
struct readings {
  std::uint64_t number = 0;                // 1 for the first call of the policy's function
  std::chrono::nanoseconds since_last{0};  // since the last call, or since the policy began
  std::vector<reading> all = {};

  /// Returns the reading of a counter by its full name or a pattern that means just one.
  /// Errors: `weft::error` if the policy reads no such counter, with the nearest, or several.
  [[nodiscard]] const reading& of(std::string_view name) const;
  /// Returns the change per second of a counter that counts.
  /// Units:  the counter's unit per second.
  /// Errors: as `of`.
  [[nodiscard]] std::optional<double> rate_per_s(std::string_view name) const;
  /// True if the value is known and greater than `limit`. Comparing the `std::optional` directly
  /// would treat an unknown value as the smallest one.
  /// Errors: as `of`.
  [[nodiscard]] bool is_above(std::string_view name, double limit) const;
  /// True if the value is known and less than `limit`.
  /// Errors: as `of`.
  [[nodiscard]] bool is_below(std::string_view name, double limit) const;
};

}  // namespace weft::policies
