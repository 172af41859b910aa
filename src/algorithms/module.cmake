# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_module(algorithms STATIC
  HEADERS
    weft/algorithms/adjacent_difference.hpp
    weft/algorithms/copy.hpp
    weft/algorithms/destroy.hpp
    weft/algorithms/detail/chunks.hpp
    weft/algorithms/detail/construct.hpp
    weft/algorithms/detail/cost_record.hpp
    weft/algorithms/detail/crew.hpp
    weft/algorithms/detail/displace.hpp
    weft/algorithms/detail/engine.hpp
    weft/algorithms/detail/find_chunk.hpp
    weft/algorithms/detail/launch.hpp
    weft/algorithms/detail/map.hpp
    weft/algorithms/detail/ordered_claims.hpp
    weft/algorithms/detail/prologue.hpp
    weft/algorithms/detail/reduce_chunks.hpp
    weft/algorithms/detail/shares.hpp
    weft/algorithms/detail/streaming.hpp
    weft/algorithms/executor.hpp
    weft/algorithms/fill.hpp
    weft/algorithms/for_each.hpp
    weft/algorithms/generate.hpp
    weft/algorithms/parameters.hpp
    weft/algorithms/policy.hpp
    weft/algorithms/replace.hpp
    weft/algorithms/reverse.hpp
    weft/algorithms/rotate.hpp
    weft/algorithms/shift.hpp
    weft/algorithms/swap_ranges.hpp
    weft/algorithms/transform.hpp
    weft/algorithms/uninitialized.hpp
  SOURCES
    algorithms/crew.cpp
    algorithms/prologue.cpp
    algorithms/shares.cpp
    algorithms/streaming.cpp
  DEPENDS weft::tasks weft::counters weft::base)
target_include_directories(weft_algorithms PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
