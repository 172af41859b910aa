# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_module(algorithms STATIC
  HEADERS
    weft/algorithms/detail/chunks.hpp
    weft/algorithms/detail/cost_record.hpp
    weft/algorithms/detail/crew.hpp
    weft/algorithms/detail/engine.hpp
    weft/algorithms/detail/find_chunk.hpp
    weft/algorithms/detail/launch.hpp
    weft/algorithms/detail/ordered_claims.hpp
    weft/algorithms/detail/prologue.hpp
    weft/algorithms/detail/reduce_chunks.hpp
    weft/algorithms/detail/shares.hpp
    weft/algorithms/executor.hpp
    weft/algorithms/for_each.hpp
    weft/algorithms/parameters.hpp
    weft/algorithms/policy.hpp
  SOURCES
    algorithms/crew.cpp
    algorithms/prologue.cpp
    algorithms/shares.cpp
  DEPENDS weft::tasks weft::counters weft::base)
target_include_directories(weft_algorithms PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
