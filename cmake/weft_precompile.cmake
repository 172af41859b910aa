# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_precompile(<target> <group>): the headers of the standard library that most files of weft include, precompiled once for all targets of
# the group, which share their options. Their files still include what they use: clang-tidy reads them without, and so does who adds weft
# as a subdirectory.
option(WEFT_PCH "Precompile the standard headers that most files include, and those of the tests" ${PROJECT_IS_TOP_LEVEL})

# weft_unity(<target>): with WEFT_UNITY, its sources are compiled eight at a time: what they include is read once for all of them, and what they
# instantiate is compiled once. WEFT_UNITY_MODULES does the same for some modules of it.
option(WEFT_UNITY "Compile the library in batches of sources: a build from nothing takes less time, one after a change more" OFF)
set(WEFT_UNITY_MODULES "" CACHE STRING "Modules of the library to compile in batches of sources, for example counters")
function(weft_unity target)
  string(REPLACE "weft_" "" module ${target})
  if(WEFT_UNITY OR module IN_LIST WEFT_UNITY_MODULES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  endif()
endfunction()

function(weft_precompile target group)
  if(NOT WEFT_PCH)
    return()
  endif()
  get_property(maker GLOBAL PROPERTY WEFT_PRECOMPILED_${group})
  if(maker)
    target_precompile_headers(${target} REUSE_FROM ${maker})
    return()
  endif()
  set_property(GLOBAL PROPERTY WEFT_PRECOMPILED_${group} ${target})
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <atomic> <chrono> <cstddef> <cstdint> <filesystem> <functional> <memory> <mutex> <optional> <span> <string>
    <string_view> <system_error> <utility> <variant> <vector>)
endfunction()
