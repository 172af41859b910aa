// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statistics of other counters over time.
#pragma once

#include <vector>

#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// /statistics{BASE}/...; the bases are counters of `from`, which outlives the families.
[[nodiscard]] std::vector<counter_family> statistics_families(const registry& from);

}  // namespace weft::counters::detail
