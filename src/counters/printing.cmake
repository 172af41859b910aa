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
