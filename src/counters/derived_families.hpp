// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters made of others: statistics over time, and arithmetic.
#pragma once

#include <vector>

#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// Adds /statistics{BASE}/... to `to`, where it finds the bases.
void add_statistics_families(registry& to, std::vector<registration>& kept);

/// Adds /arithmetics/... to `to`, where it finds the operands.
void add_arithmetic_families(registry& to, std::vector<registration>& kept);

}  // namespace weft::counters::detail
