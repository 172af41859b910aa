// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of kernel events and of the processor's hardware: /perf.
#pragma once

#include <vector>

#include "weft/counters/registry.hpp"

#include "counters/families/perf/perf_machine.hpp"

namespace weft::counters::detail {

/// `{locality#0/total}` counts all threads of the process, including those that they start later.
/// `{locality#0/pool#NAME/worker-thread#N}` counts the worker's thread alone.
///
/// Totals also count processes started meanwhile. If a worker evaluates its own counter and the
/// kernel allows it, the counter is read by register instead of a system call.
[[nodiscard]] std::vector<counter_family> perf_families(perf_surroundings surroundings = {});

}  // namespace weft::counters::detail
