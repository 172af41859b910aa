# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Counters of the machine and of the process: what the kernel and its hardware count.
option(WEFT_WITH_PAPI "Offer PAPI's events as /papi: needs its header here, the library where programs run" ON)
option(WEFT_WITH_PFM "Know libpfm4's names of events: needs its headers here, the library where programs run" ON)

target_sources(weft_counters PRIVATE
  counters/energy_families.cpp
  counters/energy_zones.cpp
  counters/machine_families.cpp
  counters/net_families.cpp
  counters/papi_counter.cpp
  counters/papi_families.cpp
  counters/papi_machine.cpp
  counters/perf_counter.cpp
  counters/perf_events.cpp
  counters/perf_families.cpp
  counters/perf_machine.cpp
  counters/perf_page.cpp
  counters/perf_plan.cpp
  counters/perf_proof.cpp
  counters/proc_counter.cpp
  counters/proc_families.cpp
  counters/proc_files.cpp
  counters/proc_threads.cpp
  counters/shared_library.cpp
  counters/worker_threads.cpp)
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
  target_sources(weft_counters PRIVATE counters/${stem}_${how}.cpp)
endfunction()

weft_loaded_library(papi WEFT_WITH_PAPI papi.h)
weft_loaded_library(perf_names WEFT_WITH_PFM perfmon/pfmlib_perf_event.h)
