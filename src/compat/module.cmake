# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft::hpx_compat: a separate include root with <hpx/...> over weft, and main as a task for
# programs that include <hpx/hpx_main.hpp>. weft::hpx_distributed: the same over several processes.
set(hpx_headers
  weft/compat/hpx/hpx/algorithm.hpp
  weft/compat/hpx/hpx/assert.hpp
  weft/compat/hpx/hpx/barrier.hpp
  weft/compat/hpx/hpx/channel.hpp
  weft/compat/hpx/hpx/chrono.hpp
  weft/compat/hpx/hpx/compat/actions.hpp
  weft/compat/hpx/hpx/compat/async_rw_mutex.hpp
  weft/compat/hpx/hpx/compat/basenames.hpp
  weft/compat/hpx/hpx/compat/bounded_channels.hpp
  weft/compat/hpx/hpx/compat/client_state.hpp
  weft/compat/hpx/hpx/compat/collectives.hpp
  weft/compat/hpx/hpx/compat/components.hpp
  weft/compat/hpx/hpx/compat/distributed_lcos.hpp
  weft/compat/hpx/hpx/compat/future_operations.hpp
  weft/compat/hpx/hpx/compat/guards.hpp
  weft/compat/hpx/hpx/compat/id_type.hpp
  weft/compat/hpx/hpx/compat/interruption.hpp
  weft/compat/hpx/hpx/compat/launch.hpp
  weft/compat/hpx/hpx/compat/pack_traversal.hpp
  weft/compat/hpx/hpx/compat/ranges_algorithm.hpp
  weft/compat/hpx/hpx/compat/restricted_thread_pool_executor.hpp
  weft/compat/hpx/hpx/compat/segmented_algorithms.hpp
  weft/compat/hpx/hpx/compat/serialization.hpp
  weft/compat/hpx/hpx/compat/tagged_executor.hpp
  weft/compat/hpx/hpx/compat/thread_enums.hpp
  weft/compat/hpx/hpx/compat/wait_for_futures.hpp
  weft/compat/hpx/hpx/compute.hpp
  weft/compat/hpx/hpx/condition_variable.hpp
  weft/compat/hpx/hpx/config.hpp
  weft/compat/hpx/hpx/exception.hpp
  weft/compat/hpx/hpx/execution.hpp
  weft/compat/hpx/hpx/experimental/run_on_all.hpp
  weft/compat/hpx/hpx/experimental/task_group.hpp
  weft/compat/hpx/hpx/format.hpp
  weft/compat/hpx/hpx/functional.hpp
  weft/compat/hpx/hpx/future.hpp
  weft/compat/hpx/hpx/generator.hpp
  weft/compat/hpx/hpx/hpx.hpp
  weft/compat/hpx/hpx/hpx_main.hpp
  weft/compat/hpx/hpx/init.hpp
  weft/compat/hpx/hpx/latch.hpp
  weft/compat/hpx/hpx/manage_runtime.hpp
  weft/compat/hpx/hpx/memory.hpp
  weft/compat/hpx/hpx/modules/iterator_support.hpp
  weft/compat/hpx/hpx/modules/runtime_local.hpp
  weft/compat/hpx/hpx/modules/string_util.hpp
  weft/compat/hpx/hpx/modules/synchronization.hpp
  weft/compat/hpx/hpx/modules/testing.hpp
  weft/compat/hpx/hpx/mutex.hpp
  weft/compat/hpx/hpx/partitioned_vector.hpp
  weft/compat/hpx/hpx/performance_counters.hpp
  weft/compat/hpx/hpx/runtime.hpp
  weft/compat/hpx/hpx/semaphore.hpp
  weft/compat/hpx/hpx/shared_mutex.hpp
  weft/compat/hpx/hpx/stop_token.hpp
  weft/compat/hpx/hpx/task_block.hpp
  weft/compat/hpx/hpx/thread.hpp)
set(hpx_options weft/compat/hpx/hpx/program_options.hpp)  # an #error without Boost
list(TRANSFORM hpx_headers PREPEND "${PROJECT_SOURCE_DIR}/include/")
list(TRANSFORM hpx_options PREPEND "${PROJECT_SOURCE_DIR}/include/")
set(hpx_sources format hpx_main init restricted_thread_pool_executor testing thread)
set(hpx_by_hand "${PROJECT_SOURCE_DIR}/include/weft/compat/hpx")
set(hpx_made "${CMAKE_CURRENT_BINARY_DIR}/hpx_headers")
set(hpx_algorithms "${CMAKE_CURRENT_BINARY_DIR}/hpx_algorithms")
set(hpx_algorithm_names "${hpx_algorithms}/hpx/compat/algorithm_names.hpp")

find_package(Boost CONFIG QUIET GLOBAL COMPONENTS program_options)
if(TARGET Boost::program_options)
  list(APPEND hpx_sources program_options)
else()
  message(STATUS "weft: hpx::program_options not built: no Boost.Program_options (apt-get install libboost-program-options-dev)")
endif()
list(TRANSFORM hpx_sources REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/compat/\\1.cpp")

# The headers that only forward are generated from a table.
include(weft_hpx_headers)
set(table "${CMAKE_CURRENT_LIST_DIR}/forwarding_headers.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${table}")
weft_hpx_headers("${table}" "${hpx_by_hand}" "${hpx_made}")
set(forwards_to_options ${weft_hpx_forwards})
list(FILTER forwards_to_options INCLUDE REGEX "/program_options\\.hpp$")
list(FILTER weft_hpx_forwards EXCLUDE REGEX "/program_options\\.hpp$")

add_library(weft_hpx_compat STATIC ${hpx_sources}) # always an archive: it wraps the program's main
add_library(weft::hpx_compat ALIAS weft_hpx_compat)
set_property(GLOBAL APPEND PROPERTY WEFT_MODULES hpx_compat)
target_link_libraries(weft_hpx_compat PUBLIC weft::algorithms weft::execution weft::tasks weft::counters weft::base
  PRIVATE $<BUILD_INTERFACE:weft_warnings>)
target_include_directories(weft_hpx_compat PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_features(weft_hpx_compat PUBLIC cxx_std_20)
target_sources(weft_hpx_compat PUBLIC
  FILE_SET hpx_headers TYPE HEADERS BASE_DIRS "${hpx_by_hand}" FILES ${hpx_headers}
  FILE_SET hpx_options TYPE HEADERS BASE_DIRS "${hpx_by_hand}" "${hpx_made}" FILES ${hpx_options} ${forwards_to_options}
  FILE_SET hpx_forwards TYPE HEADERS BASE_DIRS "${hpx_made}" "${hpx_algorithms}" FILES ${weft_hpx_forwards} "${hpx_algorithm_names}"
  FILE_SET hpx_missing TYPE HEADERS BASE_DIRS "${hpx_made}" FILES ${weft_hpx_missing})
weft_algorithm_forms(weft_hpx_compat "${CMAKE_CURRENT_LIST_DIR}/algorithm_names.hpp.in" "${hpx_algorithm_names}")
target_link_options(weft_hpx_compat INTERFACE LINKER:--wrap=main)
if(TARGET Boost::program_options)
  # Users of an installed weft need Boost only for <hpx/program_options.hpp>: without that header,
  # the linker does not take program_options.o out of the archive.
  target_link_libraries(weft_hpx_compat PUBLIC
    $<BUILD_INTERFACE:Boost::program_options> $<INSTALL_INTERFACE:$<TARGET_NAME_IF_EXISTS:Boost::program_options>>)
  target_compile_definitions(weft_hpx_compat PUBLIC
    $<BUILD_INTERFACE:WEFT_HAS_BOOST_PROGRAM_OPTIONS>
    $<INSTALL_INTERFACE:$<$<TARGET_EXISTS:Boost::program_options>:WEFT_HAS_BOOST_PROGRAM_OPTIONS>>)
endif()
set_target_properties(weft_hpx_compat PROPERTIES
  WEFT_INCLUDE_FOLDER weft/compat/hpx
  EXPORT_NAME hpx_compat
  CXX_EXTENSIONS OFF
  POSITION_INDEPENDENT_CODE ON)

# Programs with localities, actions and components. The headers are those of weft::hpx_compat.
add_library(weft_hpx_distributed STATIC "${PROJECT_SOURCE_DIR}/src/compat/localities.cpp")
add_library(weft::hpx_distributed ALIAS weft_hpx_distributed)
set_property(GLOBAL APPEND PROPERTY WEFT_MODULES hpx_distributed)
target_link_libraries(weft_hpx_distributed PUBLIC weft::hpx_compat weft::distributed PRIVATE $<BUILD_INTERFACE:weft_warnings>)
target_include_directories(weft_hpx_distributed PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_definitions(weft_hpx_distributed PUBLIC WEFT_HAS_LOCALITIES)
set_target_properties(weft_hpx_distributed PROPERTIES
  EXPORT_NAME hpx_distributed
  CXX_EXTENSIONS OFF
  POSITION_INDEPENDENT_CODE ON)
