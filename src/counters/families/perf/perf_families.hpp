// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of kernel events and of the processor's hardware: /perf.
#pragma once

#include <vector>

#include "weft/counters/registry.hpp"

#include "counters/families/perf/perf_machine.hpp"

namespace weft::counters::detail {

/// `{locality#0/total}`: all threads of the process, with those that they start later;
/// `{locality#0/pool#NAME/worker-thread#N}`: the worker's thread alone.
///
/// Totals count what processes started meanwhile do, too. A worker's counter is read by register
/// instead of a system call where the worker itself evaluates it and the kernel allows it.
[[nodiscard]] std::vector<counter_family> perf_families(perf_surroundings surroundings = {});

}  // namespace weft::counters::detail
