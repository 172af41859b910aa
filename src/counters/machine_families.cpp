// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All families of the process and of its machine: one line per source of counters.
#include "counters/machine_families.hpp"

#include <vector>

#include "weft/counters/registry.hpp"

#include "counters/energy_families.hpp"
#include "counters/net_families.hpp"
#include "counters/papi_families.hpp"
#include "counters/perf_families.hpp"
#include "counters/proc_families.hpp"

namespace weft::counters::detail {

void add_machine_families(registry& to, std::vector<registration>& kept) {
  for (const auto& families : {proc_families(),
                               net_families("/"),
                               energy_families("/"),
                               perf_families(),
                               papi_families()}) {
    for (const counter_family& each : families) {
      kept.push_back(to.add(each));
    }
  }
}

}  // namespace weft::counters::detail
