# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_module(distributed STATIC
  UMBRELLA weft/distributed.hpp
  SOURCES
    distributed/archive.cpp
  DEPENDS weft::base)
target_include_directories(weft_distributed PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
