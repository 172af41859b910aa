// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures what the harness claims about itself; exit code 1 if a claim does not hold. Run it on an
// idle machine.
#include <algorithm>
#include <cstdio>

#include "lab/harness/clock.hpp"
#include "lab/harness/sampler.hpp"

int main() {
  using namespace weft::lab;
  constexpr double claimed_overhead_s = 2e-9;
  monotonic_clock clock;
  const timer_properties timer = measure_timer(clock);
  sampler with(clock, timer);
  double overhead_s = measure_call_overhead(with);
  for (int again = 0; again < 4; ++again) {
    overhead_s = std::max(overhead_s, measure_call_overhead(with));
  }
  std::printf("reading the clock: %.3g ns, resolution %.3g ns\n",
              timer.cost_s * 1e9,
              timer.resolution_s * 1e9);
  std::printf("an empty kernel reads: %.3g ns per call (claimed: at most %.3g ns)\n",
              overhead_s * 1e9,
              claimed_overhead_s * 1e9);
  return overhead_s <= claimed_overhead_s ? 0 : 1;
}
