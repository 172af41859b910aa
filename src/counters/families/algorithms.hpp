// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters /parallel_algorithms/*.
#pragma once

#include <vector>

#include "weft/counters/algorithm_counts.hpp"
#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// `counts` must outlive the families.
[[nodiscard]] std::vector<counter_family> algorithm_families(
    const algorithm_counts& counts = process_algorithms());

}  // namespace weft::counters::detail
