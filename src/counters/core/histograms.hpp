// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a histogram says about its values, and what was added to it between two readings.
#pragma once

#include <optional>

#include "weft/counters/counter.hpp"

namespace weft::counters::detail {

/// Number of values; an estimate where they were sampled.
[[nodiscard]] inline double total_weight(const histogram_value& histogram) noexcept {
  double sum = 0;
  for (const histogram_value::bucket& each : histogram.buckets) {
    sum += each.weight;
  }
  return sum;
}

/// The end of the range in which the value lies that a share `q` of all do not exceed; 0 without
/// values.
[[nodiscard]] inline double quantile(const histogram_value& histogram, double q) noexcept {
  const double wanted = q * total_weight(histogram);
  double sum = 0;
  double upper = 0;
  for (const histogram_value::bucket& each : histogram.buckets) {
    upper = each.upper;
    sum += each.weight;
    if (sum >= wanted && each.weight > 0) {
      break;
    }
  }
  return upper;
}

/// Returns `now` without what was there `before`; nothing if a bucket holds less than before.
[[nodiscard]] std::optional<histogram_value> histogram_change(const histogram_value& before,
                                                              const histogram_value& now);

}  // namespace weft::counters::detail
