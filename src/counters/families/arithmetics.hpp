// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic between other counters.
#pragma once

#include <vector>

#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// /arithmetics/...; the operands are counters of `from`, which outlives the families.
[[nodiscard]] std::vector<counter_family> arithmetic_families(const registry& from);

}  // namespace weft::counters::detail
