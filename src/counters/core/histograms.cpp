// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the values added to a histogram between two readings.
#include "counters/core/histograms.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "weft/counters/counter.hpp"

namespace weft::counters::detail {
namespace {

using bucket = histogram_value::bucket;

/// Drops empty buckets at both ends.
void trim(std::vector<bucket>& buckets) {
  const auto holds_some = [](const bucket& each) { return each.weight > 0; };
  buckets.erase(std::find_if(buckets.rbegin(), buckets.rend(), holds_some).base(), buckets.end());
  buckets.erase(buckets.begin(), std::ranges::find_if(buckets, holds_some));
}

}  // namespace

std::optional<histogram_value> histogram_change(const histogram_value& before,
                                                const histogram_value& now) {
  histogram_value change = now;
  change.sum -= before.sum;
  auto at = change.buckets.begin();
  for (const bucket& old : before.buckets) {
    at = std::ranges::find(at, change.buckets.end(), old.upper, &bucket::upper);
    if (at == change.buckets.end() || at->weight < old.weight) {
      return std::nullopt;
    }
    at->weight -= old.weight;
  }
  trim(change.buckets);
  return change;
}

}  // namespace weft::counters::detail
