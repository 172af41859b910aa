// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Performance counters, of this process and of others: all of weft::counters.
#pragma once

#include "weft/counters/algorithm_counts.hpp"  // IWYU pragma: export
#include "weft/counters/block_reading.hpp"     // IWYU pragma: export
#include "weft/counters/block_registry.hpp"    // IWYU pragma: export
#include "weft/counters/counter.hpp"           // IWYU pragma: export
#include "weft/counters/name.hpp"              // IWYU pragma: export
#include "weft/counters/openmetrics.hpp"       // IWYU pragma: export
#include "weft/counters/policy_counts.hpp"     // IWYU pragma: export
#include "weft/counters/registry.hpp"          // IWYU pragma: export
#include "weft/counters/segment.hpp"           // IWYU pragma: export
#include "weft/counters/segment_files.hpp"     // IWYU pragma: export
#include "weft/counters/segment_format.hpp"    // IWYU pragma: export
#include "weft/counters/session.hpp"           // IWYU pragma: export
#include "weft/counters/tick_clock.hpp"        // IWYU pragma: export
#include "weft/counters/ticks.hpp"             // IWYU pragma: export
#include "weft/counters/trace.hpp"             // IWYU pragma: export
#include "weft/counters/trace_ring.hpp"        // IWYU pragma: export
#include "weft/counters/worker_block.hpp"      // IWYU pragma: export
