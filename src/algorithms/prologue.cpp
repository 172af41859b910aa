// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What waking another worker costs, in ticks of this machine.
#include "weft/algorithms/detail/prologue.hpp"

#include "weft/counters/tick_clock.hpp"

namespace weft::algorithms::detail {

const wake_costs& machine_wake_costs() noexcept {
  static const wake_costs costs = [] {
    constexpr double sure_s = 1e-6;
    constexpr double worthwhile_s = 8e-6;
    constexpr double chunk_s = 10e-6;
    const double ticks_per_s = 1 / counters::seconds_per_tick();
    return wake_costs{.sure = static_cast<float>(sure_s * ticks_per_s),
                      .worthwhile = static_cast<float>(worthwhile_s * ticks_per_s),
                      .chunk = static_cast<float>(chunk_s * ticks_per_s)};
  }();
  return costs;
}

}  // namespace weft::algorithms::detail
