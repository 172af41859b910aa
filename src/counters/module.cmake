# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_module(counters COMPILED
  UMBRELLA weft/counters.hpp
  SOURCES
    counters/core/abi.cpp
    counters/core/counter_group.cpp
    counters/core/family_list.cpp
    counters/core/family_rows.cpp
    counters/core/histograms.cpp
    counters/core/localities.cpp
    counters/core/name.cpp
    counters/core/name_match.cpp
    counters/core/own_counter.cpp
    counters/core/registry.cpp
    counters/core/session.cpp
    counters/core/shared_library.cpp
    counters/core/thread_ids.cpp
    counters/core/tick_buckets.cpp
    counters/core/tick_clock.cpp
    counters/core/untrusted_file.cpp
    counters/core/worker_threads.cpp
    counters/families/algorithm_counts.cpp
    counters/families/algorithms.cpp
    counters/families/arithmetics.cpp
    counters/families/builtin.cpp
    counters/families/energy.cpp
    counters/families/exact_number.cpp
    counters/families/net.cpp
    counters/families/nvml.cpp
    counters/families/os.cpp
    counters/families/papi/papi_families.cpp
    counters/families/papi/papi_machine.cpp
    counters/families/perf/event_source.cpp
    counters/families/perf/known_work.cpp
    counters/families/perf/machine_facts.cpp
    counters/families/perf/perf_counter.cpp
    counters/families/perf/perf_event.cpp
    counters/families/perf/perf_events.cpp
    counters/families/perf/perf_families.cpp
    counters/families/perf/perf_kernel.cpp
    counters/families/perf/perf_machine.cpp
    counters/families/perf/perf_page.cpp
    counters/families/perf/perf_plan.cpp
    counters/families/policies.cpp
    counters/families/proc_counter.cpp
    counters/families/sample_store.cpp
    counters/families/statistics.cpp
    counters/families/unit_powers.cpp
    counters/print/active.cpp
    counters/print/active_printer.cpp
    counters/print/counter_options.cpp
    counters/print/formats.cpp
    counters/print/list_text.cpp
    counters/print/number_text.cpp
    counters/print/openmetrics.cpp
    counters/print/print_destination.cpp
    counters/print/summary.cpp
    counters/segment/block_reading.cpp
    counters/segment/block_registry.cpp
    counters/segment/module_lines.cpp
    counters/segment/segment.cpp
    counters/segment/segment_files.cpp
    counters/trace/chrome_writer.cpp
    counters/trace/perfetto_writer.cpp
    counters/trace/symbols.cpp
    counters/trace/task_names.cpp
    counters/trace/trace_conversion.cpp
    counters/trace/trace_file.cpp
    counters/trace/trace_options.cpp
    counters/trace/trace_output.cpp
    counters/trace/trace_reader.cpp
    counters/trace/trace_recorder.cpp
    counters/trace/trace_signals.cpp
    counters/trace/trace_slices.cpp
    counters/trace/trace_writer.cpp
  DEPENDS weft::base)
target_include_directories(weft_counters PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
set(WEFT_COUNTERS "full" CACHE STRING "Whether the runtime counts: full, or off, to measure what counting costs")
set_property(CACHE WEFT_COUNTERS PROPERTY STRINGS full off)
if(WEFT_COUNTERS STREQUAL "off")
  target_compile_definitions(weft_counters PUBLIC WEFT_COUNTERS_OFF)
elseif(NOT WEFT_COUNTERS STREQUAL "full")
  message(FATAL_ERROR "WEFT_COUNTERS is \"${WEFT_COUNTERS}\"; it takes full or off")
endif()

# Tables with names of their own: not compiled together with others.
set_source_files_properties(
  counters/core/registry.cpp counters/families/algorithms.cpp counters/families/arithmetics.cpp counters/families/energy.cpp
  counters/families/net.cpp counters/families/nvml.cpp counters/families/os.cpp counters/families/perf/perf_events.cpp
  counters/families/statistics.cpp counters/print/formats.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

option(WEFT_WITH_PAPI "Offer PAPI's events as /papi: needs its header here, the library where programs run" ON)
option(WEFT_WITH_PFM "Know libpfm4's names of events: needs its headers here, the library where programs run" ON)
target_link_libraries(weft_counters PRIVATE ${CMAKE_DL_LIBS})

# Adds <stem>_loaded.cpp, which loads a library by its header, or <stem>_absent.cpp.
function(weft_loaded_library stem option header)
  find_path(${option}_INCLUDE_DIR ${header})
  mark_as_advanced(${option}_INCLUDE_DIR)
  set(how absent)
  if(${option} AND ${option}_INCLUDE_DIR)
    set(how loaded)
    target_include_directories(weft_counters SYSTEM PRIVATE "${${option}_INCLUDE_DIR}")
  endif()
  target_sources(weft_counters PRIVATE counters/families/${stem}_${how}.cpp)
endfunction()

weft_loaded_library(papi/papi WEFT_WITH_PAPI papi.h)
weft_loaded_library(perf/perf_names WEFT_WITH_PFM perfmon/pfmlib_perf_event.h)
