// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The events that a name of the /perf family stands for on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "counters/families/perf/cpu_events.hpp"
#include "counters/families/perf/event_source.hpp"
#include "counters/families/perf/machine_facts.hpp"
#include "counters/families/perf/perf_event.hpp"

namespace weft::counters::detail {

/// The events to open for a counter; their counts are added.
struct perf_plan {
  std::vector<event_code> events;   // events of threads
  std::vector<event_place> places;  // or events of units that serve the whole machine
  double unit_per_count = 1;        // for `events`; a place has its own value
  double least = 0;                 // the least count of each event for known work
  std::string reason;               // why there is no event to open
};

/// Finds the event that the kernel, sysfs or libpfm4 knows by this name.
///
/// Takes names of `perf_event_rows()`, raw codes ("r01C7"), terms of a unit in sysfs
/// ("cpu/event=0x3c,umask=0x0/", "cpu/mem-loads/"), and with libpfm4 its names
/// ("OFFCORE_REQUESTS:ALL_DATA_RD").
/// Errors:  `weft::error` for a name that is wrong on every machine; the message proposes the
///          nearest one.
[[nodiscard]] perf_plan plan_event(std::string_view name, const std::filesystem::path& root);

/// Plans the traffic that cores request beyond their own caches, in bytes; see perf_traffic.hpp.
[[nodiscard]] perf_plan plan_traffic(const machine_facts& machine);

/// Plans floating-point instructions or operations; see cpu_events.hpp.
[[nodiscard]] perf_plan plan_fp(const machine_facts& machine, fp_event event);

/// Plans the bytes that memory controllers transfer.
[[nodiscard]] perf_plan plan_memory(const std::filesystem::path& root,
                                    const std::vector<memory_direction>& directions);

}  // namespace weft::counters::detail
