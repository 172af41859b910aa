# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(highway "")
if(TARGET PkgConfig::highway)
  set(highway PkgConfig::highway)
endif()
weft_module(algorithms COMPILED
  UMBRELLA weft/algorithms.hpp
  HEADERS
    weft/algorithms/as_sender.hpp
    weft/algorithms/detail/calls/callables.hpp
    weft/algorithms/detail/calls/held.hpp
    weft/algorithms/detail/calls/index.hpp
    weft/algorithms/detail/calls/launch.hpp
    weft/algorithms/detail/calls/pack_policy.hpp
    weft/algorithms/detail/calls/projected.hpp
    weft/algorithms/detail/calls/range_call.hpp
    weft/algorithms/detail/calls/range_forms.hpp
    weft/algorithms/detail/kernels/compress.hpp
    weft/algorithms/detail/kernels/keep_mask.hpp
    weft/algorithms/detail/kernels/number_bits.hpp
    weft/algorithms/detail/kernels/number_kernels.hpp
    weft/algorithms/detail/kernels/scan_kernels.hpp
    weft/algorithms/detail/kernels/vector_merge.hpp
    weft/algorithms/detail/kernels/vector_sort.hpp
    weft/algorithms/detail/loops/blocks.hpp
    weft/algorithms/detail/loops/chunks.hpp
    weft/algorithms/detail/loops/construct.hpp
    weft/algorithms/detail/loops/copy_into_room.hpp
    weft/algorithms/detail/loops/displace.hpp
    weft/algorithms/detail/loops/equal_value.hpp
    weft/algorithms/detail/loops/fill_bytes.hpp
    weft/algorithms/detail/loops/find_chunk.hpp
    weft/algorithms/detail/loops/map.hpp
    weft/algorithms/detail/loops/rotate_bytes.hpp
    weft/algorithms/detail/loops/search_in.hpp
    weft/algorithms/detail/loops/walk.hpp
    weft/algorithms/detail/loops/walked_loops.hpp
    weft/algorithms/detail/loops/wide.hpp
    weft/algorithms/detail/memory/next_page.hpp
    weft/algorithms/detail/memory/page_memory.hpp
    weft/algorithms/detail/memory/reserved.hpp
    weft/algorithms/detail/memory/scratch.hpp
    weft/algorithms/detail/memory/streaming.hpp
    weft/algorithms/detail/merging/buffered_merge.hpp
    weft/algorithms/detail/merging/merge_by_copy.hpp
    weft/algorithms/detail/merging/merge_choice.hpp
    weft/algorithms/detail/merging/merge_path.hpp
    weft/algorithms/detail/merging/set_kernels.hpp
    weft/algorithms/detail/merging/set_split.hpp
    weft/algorithms/detail/merging/set_works.hpp
    weft/algorithms/detail/merging/split_merge.hpp
    weft/algorithms/detail/reducing/bin_counts.hpp
    weft/algorithms/detail/reducing/plain_runs.hpp
    weft/algorithms/detail/reducing/reduce_chunks.hpp
    weft/algorithms/detail/reducing/reduction.hpp
    weft/algorithms/detail/scanning/compaction.hpp
    weft/algorithms/detail/scanning/compaction_works.hpp
    weft/algorithms/detail/scanning/look_back.hpp
    weft/algorithms/detail/scanning/scan_block.hpp
    weft/algorithms/detail/scanning/scan_tiles.hpp
    weft/algorithms/detail/scanning/walked_scan.hpp
    weft/algorithms/detail/sharing/cost_record.hpp
    weft/algorithms/detail/sharing/crew.hpp
    weft/algorithms/detail/sharing/engine.hpp
    weft/algorithms/detail/sharing/ordered_claims.hpp
    weft/algorithms/detail/sharing/prologue.hpp
    weft/algorithms/detail/sharing/search_claims.hpp
    weft/algorithms/detail/sharing/shares.hpp
    weft/algorithms/detail/sharing/tasks.hpp
    weft/algorithms/detail/sorting/block_exchange.hpp
    weft/algorithms/detail/sorting/block_sort.hpp
    weft/algorithms/detail/sorting/exchange.hpp
    weft/algorithms/detail/sorting/leaf_sort.hpp
    weft/algorithms/detail/sorting/merge_sort.hpp
    weft/algorithms/detail/sorting/reorder.hpp
    weft/algorithms/detail/sorting/sample_sort.hpp
    weft/algorithms/detail/sorting/select.hpp
    weft/algorithms/detail/sorting/shared_sort.hpp
    weft/algorithms/detail/sorting/small_sort.hpp
    weft/algorithms/detail/sorting/split.hpp
    weft/algorithms/detail/sorting/stable_halves.hpp
    weft/algorithms/ranges.hpp
    weft/algorithms/ranges/by_key.hpp
    weft/algorithms/ranges/compare.hpp
    weft/algorithms/ranges/copy.hpp
    weft/algorithms/ranges/copy_if.hpp
    weft/algorithms/ranges/find.hpp
    weft/algorithms/ranges/for_each.hpp
    weft/algorithms/ranges/memory.hpp
    weft/algorithms/ranges/merge.hpp
    weft/algorithms/ranges/min_max.hpp
    weft/algorithms/ranges/numeric.hpp
    weft/algorithms/ranges/rearrange.hpp
    weft/algorithms/ranges/replace_copy.hpp
    weft/algorithms/ranges/sort.hpp
    weft/algorithms/ranges/transform.hpp
    weft/algorithms/senders.hpp
    weft/algorithms/senders/piped.hpp
    weft/algorithms/simd.hpp
    weft/weft.hpp
  SOURCES
    algorithms/chunks.cpp
    algorithms/compress.cpp
    algorithms/crew.cpp
    algorithms/find_chunk.cpp
    algorithms/kernel_choice.cpp
    algorithms/number_kernels.cpp
    algorithms/number_merge.cpp
    algorithms/number_scan.cpp
    algorithms/number_sort.cpp
    algorithms/page_memory.cpp
    algorithms/plain_number_kernels.cpp
    algorithms/prologue.cpp
    algorithms/scan_kernels.cpp
    algorithms/scratch.cpp
    algorithms/shares.cpp
    algorithms/streaming.cpp
    algorithms/vector_merge.cpp
    algorithms/vector_sort.cpp
    algorithms/vector_split.cpp
  DEPENDS weft::execution weft::tasks weft::counters weft::base
  PRIVATE_DEPENDS ${highway})
weft_optimise_library(weft_algorithms)

# `sender | algorithm(policy)` follows from the algorithms' own headers.
include(weft_algorithm_forms)
set(made "${CMAKE_CURRENT_BINARY_DIR}/made")
set(forms "${made}/weft/algorithms/senders/forms.hpp")
weft_algorithm_forms(weft_algorithms "${CMAKE_CURRENT_LIST_DIR}/sender_forms.hpp.in" "${forms}")
target_sources(weft_algorithms PUBLIC FILE_SET HEADERS BASE_DIRS "${made}" FILES "${forms}")

# Highway compiles some sources once for each instruction set
set_target_properties(weft_algorithms PROPERTIES WEFT_BATCHED OFF)
# Without this flag, g++ copies Highway's tables to the stack at every use.
set_source_files_properties(
  "${PROJECT_SOURCE_DIR}/src/algorithms/vector_sort.cpp"
  PROPERTIES COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU,Clang>:-fmerge-all-constants>")
target_include_directories(weft_algorithms PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
if(TARGET PkgConfig::highway)
  target_compile_definitions(weft_algorithms PRIVATE WEFT_HAS_HIGHWAY)
endif()
