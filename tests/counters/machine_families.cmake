# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of the counters of the machine and of the process.
weft_counters_tests(energy_families net_families papi_families perf_families perf_page proc_families)
