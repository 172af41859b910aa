# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(highway "")
if(TARGET PkgConfig::highway)
  set(highway PkgConfig::highway)
endif()
weft_module(algorithms STATIC
  HEADERS
    weft/algorithms.hpp
    weft/algorithms/adjacent_difference.hpp
    weft/algorithms/copy.hpp
    weft/algorithms/copy_if.hpp
    weft/algorithms/destroy.hpp
    weft/algorithms/detail/chunks.hpp
    weft/algorithms/detail/compaction.hpp
    weft/algorithms/detail/compaction_works.hpp
    weft/algorithms/detail/construct.hpp
    weft/algorithms/detail/cost_record.hpp
    weft/algorithms/detail/crew.hpp
    weft/algorithms/detail/displace.hpp
    weft/algorithms/detail/engine.hpp
    weft/algorithms/detail/fill_bytes.hpp
    weft/algorithms/detail/find_chunk.hpp
    weft/algorithms/detail/keep_mask.hpp
    weft/algorithms/detail/launch.hpp
    weft/algorithms/detail/leaf_sort.hpp
    weft/algorithms/detail/look_back.hpp
    weft/algorithms/detail/map.hpp
    weft/algorithms/detail/merge_path.hpp
    weft/algorithms/detail/merge_sort.hpp
    weft/algorithms/detail/ordered_claims.hpp
    weft/algorithms/detail/projected.hpp
    weft/algorithms/detail/prologue.hpp
    weft/algorithms/detail/range_call.hpp
    weft/algorithms/detail/range_forms.hpp
    weft/algorithms/detail/reduce_chunks.hpp
    weft/algorithms/detail/reorder.hpp
    weft/algorithms/detail/rotate_bytes.hpp
    weft/algorithms/detail/scan_tiles.hpp
    weft/algorithms/detail/scratch.hpp
    weft/algorithms/detail/select.hpp
    weft/algorithms/detail/shared_sort.hpp
    weft/algorithms/detail/shares.hpp
    weft/algorithms/detail/split.hpp
    weft/algorithms/detail/streaming.hpp
    weft/algorithms/detail/tasks.hpp
    weft/algorithms/detail/vector_sort.hpp
    weft/algorithms/detail/wide.hpp
    weft/algorithms/executor.hpp
    weft/algorithms/fill.hpp
    weft/algorithms/for_each.hpp
    weft/algorithms/for_loop.hpp
    weft/algorithms/generate.hpp
    weft/algorithms/inplace_merge.hpp
    weft/algorithms/merge.hpp
    weft/algorithms/nth_element.hpp
    weft/algorithms/parameters.hpp
    weft/algorithms/partial_sort.hpp
    weft/algorithms/policy.hpp
    weft/algorithms/ranges/copy.hpp
    weft/algorithms/ranges/for_each.hpp
    weft/algorithms/ranges/memory.hpp
    weft/algorithms/ranges/replace_copy.hpp
    weft/algorithms/ranges/transform.hpp
    weft/algorithms/remove.hpp
    weft/algorithms/replace.hpp
    weft/algorithms/reverse.hpp
    weft/algorithms/rotate.hpp
    weft/algorithms/scan.hpp
    weft/algorithms/shift.hpp
    weft/algorithms/sort.hpp
    weft/algorithms/stable_sort.hpp
    weft/algorithms/swap_ranges.hpp
    weft/algorithms/transform.hpp
    weft/algorithms/uninitialized.hpp
    weft/algorithms/unique.hpp
  SOURCES
    algorithms/crew.cpp
    algorithms/prologue.cpp
    algorithms/scratch.cpp
    algorithms/shares.cpp
    algorithms/streaming.cpp
    algorithms/vector_sort.cpp
    algorithms/vector_split.cpp
  DEPENDS weft::tasks weft::counters weft::base
  PRIVATE_DEPENDS ${highway})
target_include_directories(weft_algorithms PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
if(TARGET PkgConfig::highway)
  target_compile_definitions(weft_algorithms PRIVATE WEFT_HAS_HIGHWAY)
endif()
