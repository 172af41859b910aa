// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of PAPI's events: /papi.
#pragma once

#include <vector>

#include "weft/counters/registry.hpp"

#include "counters/families/papi/papi_machine.hpp"

namespace weft::counters::detail {

/// A counter for any event that PAPI can count: /papi{locality#0/total}/PAPI_TOT_INS. Preset events
/// are listed, even if they cannot be used here.
[[nodiscard]] std::vector<counter_family> papi_families(papi_surroundings surroundings = {});

}  // namespace weft::counters::detail
