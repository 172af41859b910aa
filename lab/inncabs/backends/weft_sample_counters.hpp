// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters of weft's runtimes for every sample, as in docs/reference/records.md.
#pragma once

#include <array>

#include "lab/harness/experiment.hpp"

namespace weft::lab::inncabs {

inline constexpr double seconds_per_ns = 1e-9;

/// Sums over all workers.
/// Source:  definitions: Grubel et al., IPDPSW 2016, section V.C.
inline constexpr std::array weft_sample_counters{
    sample_counter{"tasks", "tasks", "/threads{locality#0/total}/count/cumulative"},
    sample_counter{"task_time", "s", "/threads{locality#0/total}/time/executing", seconds_per_ns},
    sample_counter{
        "task_time_hpx", "s", "/threads{locality#0/total}/time/cumulative", seconds_per_ns},
    sample_counter{"scheduling_time",
                   "s",
                   "/threads{locality#0/total}/time/cumulative-overhead",
                   seconds_per_ns},
    sample_counter{
        "searching_time", "s", "/threads{locality#0/total}/time/searching", seconds_per_ns},
    sample_counter{"parked_time", "s", "/threads{locality#0/total}/time/parked", seconds_per_ns},
    sample_counter{"steals", "steals", "/threads{locality#0/total}/count/steals-won"},
    sample_counter{"suspensions", "suspensions", "/threads{locality#0/total}/count/suspensions"},
    sample_counter{"offcore_bytes", "B", "/perf{locality#0/total}/offcore-bytes"},
};

}  // namespace weft::lab::inncabs
