// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much a runtime measures of its tasks.
#pragma once

#include <cstdint>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft {

/// Which tasks are timed. All are counted, and the time that workers look for tasks or sleep is
/// known, in every mode.
enum class timing_mode : std::uint8_t {
  counts,   // none
  sampled,  // some, the longer they are the more; docs/counters.md has what it costs
  exact     // all, which costs 0.1 to 0.2 us each
};

}  // namespace weft
