// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts ranges of ticks to ranges of a unit.
#include "counters/core/tick_buckets.hpp"

#include <cstddef>
#include <cstdint>

#include "weft/counters/counter.hpp"
#include "weft/counters/worker_block.hpp"

namespace weft::counters::detail {

using ticks = tick_histogram<std::uint64_t>;

double middle_of(std::size_t bucket) noexcept {
  return static_cast<double>(ticks::lower(bucket) + ticks::lower(bucket + 1) - 1) / 2;
}

histogram_value to_histogram(const tick_histogram<std::uint64_t>& recorded, double per_tick) {
  histogram_value result;
  std::size_t num_used = 0;
  for (std::size_t i = 0; i < recorded.weight.size(); ++i) {
    const auto weight = static_cast<double>(recorded.weight[i]);
    if (weight == 0 && result.buckets.empty()) {
      continue;
    }
    result.buckets.push_back(
        {.upper = static_cast<double>(ticks::lower(i + 1)) * per_tick, .weight = weight});
    result.sum += weight * middle_of(i) * per_tick;
    num_used = weight == 0 ? num_used : result.buckets.size();
  }
  result.buckets.resize(num_used);
  return result;
}

}  // namespace weft::counters::detail
