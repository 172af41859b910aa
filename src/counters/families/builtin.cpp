// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of every process: one line per source of counters.
#include "counters/families/builtin.hpp"

#include <vector>

#include "weft/counters/registry.hpp"

#include "counters/families/algorithms.hpp"
#include "counters/families/arithmetics.hpp"
#include "counters/families/energy.hpp"
#include "counters/families/net.hpp"
#include "counters/families/nvml.hpp"
#include "counters/families/os.hpp"
#include "counters/families/papi/papi_families.hpp"
#include "counters/families/perf/perf_families.hpp"
#include "counters/families/policies.hpp"
#include "counters/families/statistics.hpp"

namespace weft::counters::detail {

void add_families(registry& to,
                  std::vector<registration>& kept,
                  const std::vector<counter_family>& families) {
  for (const counter_family& each : families) {
    kept.push_back(to.add(each));
  }
}

void add_builtin_families(registry& to, std::vector<registration>& kept) {
  for (const auto& families : {statistics_families(to),
                               arithmetic_families(to),
                               algorithm_families(),
                               policy_families(),
                               os_families(),
                               net_families("/"),
                               energy_families("/"),
                               nvml_families("libnvidia-ml.so.1"),
                               perf_families(),
                               papi_families()}) {
    add_families(to, kept, families);
  }
}

}  // namespace weft::counters::detail
