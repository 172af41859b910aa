// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic between other counters.
#pragma once

#include <vector>

#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// Makes the families /arithmetics/... . Operands are counters of `from`, which must outlive the
/// families.
[[nodiscard]] std::vector<counter_family> arithmetic_families(const registry& from);

}  // namespace weft::counters::detail
