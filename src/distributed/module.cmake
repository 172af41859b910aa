# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_module(distributed COMPILED
  UMBRELLA weft/distributed.hpp
  HEADERS
    weft/distributed/detail/aggregate.hpp
    weft/distributed/detail/archive_bytes.hpp
    weft/distributed/detail/archive_kinds.hpp
    weft/distributed/detail/archive_problems.hpp
    weft/distributed/detail/archive_read.hpp
    weft/distributed/detail/archive_write.hpp
    weft/distributed/detail/foreign_wrappers.hpp
    weft/distributed/detail/type_signature.hpp
  SOURCES
    distributed/archive.cpp
    distributed/checkpoint.cpp
    distributed/checksum.cpp
  DEPENDS weft::base)
target_include_directories(weft_distributed PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
