// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statistics of other counters over time.
#pragma once

#include <vector>

#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// Makes the families /statistics{BASE}/... . Bases are counters of `from`, which must outlive the
/// families.
[[nodiscard]] std::vector<counter_family> statistics_families(const registry& from);

}  // namespace weft::counters::detail
