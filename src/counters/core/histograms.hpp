// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statistics of a histogram, and the values added to it between two readings.
#pragma once

#include <optional>

#include "weft/counters/counter.hpp"

namespace weft::counters::detail {

/// Returns the number of values; an estimate if they were sampled.
[[nodiscard]] inline double total_weight(const histogram_value& histogram) noexcept {
  double sum = 0;
  for (const histogram_value::bucket& each : histogram.buckets) {
    sum += each.weight;
  }
  return sum;
}

/// Returns the end of the range that contains the quantile `q`: a share `q` of all values does not
/// exceed it. 0 without values.
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

/// Returns `now` minus `before`; nothing if a bucket now holds less than before.
[[nodiscard]] std::optional<histogram_value> histogram_change(const histogram_value& before,
                                                              const histogram_value& now);

}  // namespace weft::counters::detail
