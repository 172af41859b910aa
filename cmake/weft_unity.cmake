# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_unity(<target>): with WEFT_UNITY, compiles the target's sources eight at a time: each header they share is read once for eight sources,
# and what they instantiate is compiled once. WEFT_UNITY_MODULES does the same for some modules of the library.
option(WEFT_UNITY "Compile sources in batches of eight: a build from nothing takes less time, one after a change more" OFF)
set(WEFT_UNITY_MODULES "" CACHE STRING "Modules of the library to compile in batches of sources, for example counters")
function(weft_unity target)
  string(REPLACE "weft_" "" module ${target})
  if(WEFT_UNITY OR module IN_LIST WEFT_UNITY_MODULES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()
