// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters /parallel_algorithms/*.
#pragma once

#include <vector>

#include "weft/counters/algorithm_counts.hpp"
#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// Adds them to `to`, which must outlive what is put into `kept`; `counts` outlives it, too.
void add_algorithm_families(registry& to,
                            std::vector<registration>& kept,
                            const algorithm_counts& counts = process_algorithms());

}  // namespace weft::counters::detail
