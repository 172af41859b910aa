// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a tick is, for the caller's own beginning.
#include "weft/algorithms/detail/prologue.hpp"

#include "weft/algorithms/detail/cost_record.hpp"
#include "weft/counters/tick_clock.hpp"

namespace weft::algorithms::detail {

float ns_per_tick() noexcept {
  static const auto ns = static_cast<float>(counters::seconds_per_tick() * 1e9);
  return ns;
}

}  // namespace weft::algorithms::detail
