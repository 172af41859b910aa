// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What waking another worker costs, in ticks of this machine.
#include "weft/algorithms/detail/prologue.hpp"

#include <cstddef>

#include "weft/counters/algorithm_counts.hpp"
#include "weft/counters/tick_clock.hpp"

namespace weft::algorithms::detail {

const wake_costs& machine_wake_costs() noexcept {
  static const wake_costs costs = [] {
    constexpr double sure_s = 1e-6;
    constexpr double worthwhile_s = 8e-6;
    constexpr double chunk_s = 10e-6;
    const double ticks_per_s = 1 / counters::seconds_per_tick();
    return wake_costs{.ticks_per_ns = static_cast<float>(1e-9 * ticks_per_s),
                      .sure = static_cast<float>(sure_s * ticks_per_s),
                      .worthwhile = static_cast<float>(worthwhile_s * ticks_per_s),
                      .chunk = static_cast<float>(chunk_s * ticks_per_s)};
  }();
  return costs;
}

void note_alone(std::size_t n, float ticks) noexcept {
  if (ticks >= machine_wake_costs().sure) {
    counters::process_algorithms().count_alone(n);
  }
}

}  // namespace weft::algorithms::detail
