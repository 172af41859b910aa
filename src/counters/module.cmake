# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_module(counters STATIC
  HEADERS
    weft/counters.hpp
    weft/counters/algorithm_counts.hpp
    weft/counters/block_reading.hpp
    weft/counters/block_registry.hpp
    weft/counters/catalog.hpp
    weft/counters/counter.hpp
    weft/counters/name.hpp
    weft/counters/openmetrics.hpp
    weft/counters/process.hpp
    weft/counters/registry.hpp
    weft/counters/segment.hpp
    weft/counters/segment_files.hpp
    weft/counters/segment_format.hpp
    weft/counters/session.hpp
    weft/counters/tick_clock.hpp
    weft/counters/ticks.hpp
    weft/counters/trace.hpp
    weft/counters/trace_ring.hpp
    weft/counters/worker_block.hpp
  SOURCES
    counters/algorithm_counts.cpp
    counters/algorithm_families.cpp
    counters/arithmetic_counter.cpp
    counters/arithmetic_operands.cpp
    counters/block_reading.cpp
    counters/block_registry.cpp
    counters/builtin_families.cpp
    counters/catalog.cpp
    counters/chrome_writer.cpp
    counters/counter_group.cpp
    counters/derived_value.cpp
    counters/event_counter.cpp
    counters/event_source.cpp
    counters/exact_number.cpp
    counters/family_entry.cpp
    counters/family_list.cpp
    counters/histogram_change.cpp
    counters/kernel_counters.cpp
    counters/known_work.cpp
    counters/machine_facts.cpp
    counters/metric_names.cpp
    counters/module_lines.cpp
    counters/name.cpp
    counters/name_match.cpp
    counters/name_parameters.cpp
    counters/name_parser.cpp
    counters/number_text.cpp
    counters/openmetrics.cpp
    counters/own_counter.cpp
    counters/perf_kernel.cpp
    counters/perfetto_writer.cpp
    counters/process.cpp
    counters/registry.cpp
    counters/run_delay.cpp
    counters/sample_store.cpp
    counters/segment.cpp
    counters/segment_files.cpp
    counters/segment_schema.cpp
    counters/session.cpp
    counters/session_readings.cpp
    counters/statistics_counter.cpp
    counters/symbols.cpp
    counters/task_names.cpp
    counters/thread_ids.cpp
    counters/tick_buckets.cpp
    counters/tick_clock.cpp
    counters/trace_conversion.cpp
    counters/trace_file.cpp
    counters/trace_options.cpp
    counters/trace_output.cpp
    counters/trace_reader.cpp
    counters/trace_recorder.cpp
    counters/trace_signals.cpp
    counters/trace_slices.cpp
    counters/trace_text.cpp
    counters/trace_writer.cpp
    counters/unit_powers.cpp
    counters/untrusted_file.cpp
  DEPENDS weft::base)
target_include_directories(weft_counters PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
set(WEFT_COUNTERS "full" CACHE STRING "Whether the runtime counts: full, or off, to measure what counting costs")
set_property(CACHE WEFT_COUNTERS PROPERTY STRINGS full off)
if(WEFT_COUNTERS STREQUAL "off")
  target_compile_definitions(weft_counters PUBLIC WEFT_COUNTERS_OFF)
elseif(NOT WEFT_COUNTERS STREQUAL "full")
  message(FATAL_ERROR "WEFT_COUNTERS is \"${WEFT_COUNTERS}\"; it takes full or off")
endif()
include(counters/machine_families.cmake)
include(counters/printing.cmake)
