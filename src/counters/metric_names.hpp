// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What counters are called as metrics: names, labels and base units.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/counters/name.hpp"

namespace weft::counters::detail {

/// A unit of counters, and the base unit in which metrics have to be.
struct base_unit {
  std::string_view unit;
  std::string_view base;
  double multiplier;
  double divisor;  // of two factors one is 1: dividing by 1e9 rounds once, multiplying twice

  [[nodiscard]] bool is_same() const noexcept { return multiplier == 1 && divisor == 1; }
  [[nodiscard]] double convert(double value) const noexcept { return value * multiplier / divisor; }
};

[[nodiscard]] base_unit base_unit_of(std::string_view unit);

using label_list = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] label_list labels_of(const counter_name& name);
[[nodiscard]] label_list with(label_list labels, std::string name, std::string value);
/// "{rank=\"0\",worker=\"3\"}"; empty without labels.
[[nodiscard]] std::string to_string(const label_list& labels);

/// "weft_threads_time_cumulative_seconds"
[[nodiscard]] std::string metric_name(const counter_name& name, const base_unit& unit);
/// Letters, digits and `_`.
[[nodiscard]] std::string sanitized(std::string_view text);
/// As in help and labels: with backslashes before backslashes and quotes, "\n" for a new line.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace weft::counters::detail
