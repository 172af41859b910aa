# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_module(counters STATIC
  HEADERS weft/counters/catalog.hpp weft/counters/process.hpp
  SOURCES counters/catalog.cpp counters/process.cpp
  DEPENDS weft::base)
target_include_directories(weft_counters PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
