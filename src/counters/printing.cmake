# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Printing counters as the options of a program say.
target_sources(weft_counters PRIVATE
  counters/active.cpp
  counters/active_printer.cpp
  counters/counter_options.cpp
  counters/counter_request.cpp
  counters/format_csv.cpp
  counters/format_json.cpp
  counters/format_normal.cpp
  counters/format_summary.cpp
  counters/formats.cpp
  counters/list_text.cpp
  counters/print_destination.cpp)
# Their tables are called as those of others.
set_source_files_properties(
  counters/algorithm_families.cpp counters/arithmetic_counter.cpp counters/catalog.cpp counters/energy_families.cpp counters/format_normal.cpp
  counters/net_families.cpp counters/perf_events.cpp counters/proc_families.cpp counters/registry.cpp counters/statistics_counter.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
