# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Counters of the machine and of the process: what the kernel and its hardware count.
target_sources(weft_counters PRIVATE
  counters/energy_families.cpp
  counters/energy_zones.cpp
  counters/net_families.cpp
  counters/proc_counter.cpp
  counters/proc_families.cpp
  counters/proc_files.cpp)
