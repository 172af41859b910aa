# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ccache's cache provides results that were compiled before with the same text and options, in any checkout. The presets tell ccache the
# root of this checkout. -DCMAKE_CXX_COMPILER_LAUNCHER= compiles everything again.
find_program(WEFT_CCACHE ccache)
mark_as_advanced(WEFT_CCACHE)
if(WEFT_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${WEFT_CCACHE}" CACHE STRING "What starts the compiler: ccache, or nothing")
endif()
