# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What was compiled once with the same text and options comes from ccache's cache, in whichever checkout: the presets tell it where paths of
# this one begin. -DCMAKE_CXX_COMPILER_LAUNCHER= compiles anew.
find_program(WEFT_CCACHE ccache)
mark_as_advanced(WEFT_CCACHE)
if(WEFT_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${WEFT_CCACHE}" CACHE STRING "What starts the compiler: ccache, or nothing")
endif()
