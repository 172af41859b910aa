# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_module(counters STATIC
  HEADERS
    weft/counters/block_reading.hpp
    weft/counters/block_registry.hpp
    weft/counters/catalog.hpp
    weft/counters/counter.hpp
    weft/counters/name.hpp
    weft/counters/process.hpp
    weft/counters/registry.hpp
    weft/counters/session.hpp
    weft/counters/tick_clock.hpp
    weft/counters/ticks.hpp
    weft/counters/trace_ring.hpp
    weft/counters/worker_block.hpp
  SOURCES
    counters/block_reading.cpp
    counters/block_registry.cpp
    counters/catalog.cpp
    counters/event_counter.cpp
    counters/event_source.cpp
    counters/kernel_counters.cpp
    counters/known_work.cpp
    counters/machine_facts.cpp
    counters/name.cpp
    counters/name_match.cpp
    counters/name_parameters.cpp
    counters/name_parser.cpp
    counters/perf_kernel.cpp
    counters/process.cpp
    counters/run_delay.cpp
    counters/thread_ids.cpp
    counters/tick_clock.cpp
  DEPENDS weft::base)
target_include_directories(weft_counters PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
