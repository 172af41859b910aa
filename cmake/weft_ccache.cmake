# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ccache's cache provides results that were compiled before with the same text and options, in any checkout. The presets tell ccache the
# root of this checkout. -DCMAKE_CXX_COMPILER_LAUNCHER= compiles everything again.
find_program(WEFT_CCACHE ccache)
mark_as_advanced(WEFT_CCACHE)
if(WEFT_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${WEFT_CCACHE}" CACHE STRING "What starts the compiler: ccache, or nothing")
endif()
# Lists of the headers that a source reads name no object file, so that ccache provides an object for any folder. Ninja ignores that name.
if(CMAKE_GENERATOR MATCHES "^Ninja" AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
  string(REPLACE "<DEP_TARGET>" "object" CMAKE_DEPFILE_FLAGS_CXX "${CMAKE_DEPFILE_FLAGS_CXX}")
endif()
