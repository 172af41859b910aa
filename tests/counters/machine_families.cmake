# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of the counters of the machine and of the process.
foreach(name IN ITEMS energy_families net_families papi_families perf_families perf_page proc_families)
  weft_test(counters ${name} DEPENDS weft::counters Threads::Threads)
  target_include_directories(weft_test_counters_${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
endforeach()
