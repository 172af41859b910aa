// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters /policies/*.
#pragma once

#include <vector>

#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

[[nodiscard]] std::vector<counter_family> policy_families();

}  // namespace weft::counters::detail
