# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft::hpx_compat: an include root of its own with <hpx/...> over weft, and main as a task for programs that include <hpx/hpx_main.hpp>.
set(hpx_headers
  weft/compat/hpx/hpx/algorithm.hpp
  weft/compat/hpx/hpx/any.hpp
  weft/compat/hpx/hpx/assert.hpp
  weft/compat/hpx/hpx/barrier.hpp
  weft/compat/hpx/hpx/channel.hpp
  weft/compat/hpx/hpx/chrono.hpp
  weft/compat/hpx/hpx/compat/async_rw_mutex.hpp
  weft/compat/hpx/hpx/compat/bounded_channels.hpp
  weft/compat/hpx/hpx/compat/future_operations.hpp
  weft/compat/hpx/hpx/compat/guards.hpp
  weft/compat/hpx/hpx/compat/interruption.hpp
  weft/compat/hpx/hpx/compat/launch.hpp
  weft/compat/hpx/hpx/compat/pack_traversal.hpp
  weft/compat/hpx/hpx/compat/tagged_executor.hpp
  weft/compat/hpx/hpx/compat/thread_enums.hpp
  weft/compat/hpx/hpx/compat/wait_for_futures.hpp
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
  weft/compat/hpx/hpx/hpx_init.hpp
  weft/compat/hpx/hpx/hpx_main.hpp
  weft/compat/hpx/hpx/hpx_start.hpp
  weft/compat/hpx/hpx/include/apply.hpp
  weft/compat/hpx/hpx/include/async.hpp
  weft/compat/hpx/hpx/include/dataflow.hpp
  weft/compat/hpx/hpx/include/iostreams.hpp
  weft/compat/hpx/hpx/include/lcos.hpp
  weft/compat/hpx/hpx/include/parallel_algorithm.hpp
  weft/compat/hpx/hpx/include/parallel_execution_policy.hpp
  weft/compat/hpx/hpx/include/parallel_executors.hpp
  weft/compat/hpx/hpx/include/parallel_for_each.hpp
  weft/compat/hpx/hpx/include/parallel_for_loop.hpp
  weft/compat/hpx/hpx/include/sync.hpp
  weft/compat/hpx/hpx/include/threads.hpp
  weft/compat/hpx/hpx/include/util.hpp
  weft/compat/hpx/hpx/init.hpp
  weft/compat/hpx/hpx/iostream.hpp
  weft/compat/hpx/hpx/latch.hpp
  weft/compat/hpx/hpx/manage_runtime.hpp
  weft/compat/hpx/hpx/memory.hpp
  weft/compat/hpx/hpx/modules/algorithms.hpp
  weft/compat/hpx/hpx/modules/assertion.hpp
  weft/compat/hpx/hpx/modules/async_base.hpp
  weft/compat/hpx/hpx/modules/async_local.hpp
  weft/compat/hpx/hpx/modules/coroutines.hpp
  weft/compat/hpx/hpx/modules/datastructures.hpp
  weft/compat/hpx/hpx/modules/errors.hpp
  weft/compat/hpx/hpx/modules/execution.hpp
  weft/compat/hpx/hpx/modules/executors.hpp
  weft/compat/hpx/hpx/modules/format.hpp
  weft/compat/hpx/hpx/modules/functional.hpp
  weft/compat/hpx/hpx/modules/futures.hpp
  weft/compat/hpx/hpx/modules/iterator_support.hpp
  weft/compat/hpx/hpx/modules/lcos_local.hpp
  weft/compat/hpx/hpx/modules/memory.hpp
  weft/compat/hpx/hpx/modules/pack_traversal.hpp
  weft/compat/hpx/hpx/modules/program_options.hpp
  weft/compat/hpx/hpx/modules/runtime_local.hpp
  weft/compat/hpx/hpx/modules/string_util.hpp
  weft/compat/hpx/hpx/modules/synchronization.hpp
  weft/compat/hpx/hpx/modules/testing.hpp
  weft/compat/hpx/hpx/modules/thread_support.hpp
  weft/compat/hpx/hpx/modules/threading.hpp
  weft/compat/hpx/hpx/modules/threadmanager.hpp
  weft/compat/hpx/hpx/modules/timing.hpp
  weft/compat/hpx/hpx/modules/topology.hpp
  weft/compat/hpx/hpx/modules/type_support.hpp
  weft/compat/hpx/hpx/mutex.hpp
  weft/compat/hpx/hpx/numeric.hpp
  weft/compat/hpx/hpx/optional.hpp
  weft/compat/hpx/hpx/performance_counters.hpp
  weft/compat/hpx/hpx/program_options.hpp
  weft/compat/hpx/hpx/runtime.hpp
  weft/compat/hpx/hpx/semaphore.hpp
  weft/compat/hpx/hpx/shared_mutex.hpp
  weft/compat/hpx/hpx/source_location.hpp
  weft/compat/hpx/hpx/stop_token.hpp
  weft/compat/hpx/hpx/system_error.hpp
  weft/compat/hpx/hpx/task_block.hpp
  weft/compat/hpx/hpx/thread.hpp
  weft/compat/hpx/hpx/tuple.hpp
  weft/compat/hpx/hpx/type_traits.hpp
  weft/compat/hpx/hpx/unwrap.hpp)
set(hpx_forwards  # each includes one of hpx_headers and has nothing of its own; tests/compat/hpx/series.cpp includes them all
  weft/compat/hpx/hpx/datapar.hpp
  weft/compat/hpx/hpx/execution/algorithms/as_sender.hpp
  weft/compat/hpx/hpx/execution/algorithms/bulk.hpp
  weft/compat/hpx/hpx/execution/algorithms/ensure_started.hpp
  weft/compat/hpx/hpx/execution/algorithms/execute.hpp
  weft/compat/hpx/hpx/execution/algorithms/just.hpp
  weft/compat/hpx/hpx/execution/algorithms/keep_future.hpp
  weft/compat/hpx/hpx/execution/algorithms/let_error.hpp
  weft/compat/hpx/hpx/execution/algorithms/let_stopped.hpp
  weft/compat/hpx/hpx/execution/algorithms/let_value.hpp
  weft/compat/hpx/hpx/execution/algorithms/make_future.hpp
  weft/compat/hpx/hpx/execution/algorithms/run_loop.hpp
  weft/compat/hpx/hpx/execution/algorithms/schedule_from.hpp
  weft/compat/hpx/hpx/execution/algorithms/split.hpp
  weft/compat/hpx/hpx/execution/algorithms/start_detached.hpp
  weft/compat/hpx/hpx/execution/algorithms/sync_wait.hpp
  weft/compat/hpx/hpx/execution/algorithms/then.hpp
  weft/compat/hpx/hpx/execution/algorithms/transfer.hpp
  weft/compat/hpx/hpx/execution/algorithms/transfer_just.hpp
  weft/compat/hpx/hpx/execution/algorithms/when_all.hpp
  weft/compat/hpx/hpx/execution/algorithms/when_all_vector.hpp
  weft/compat/hpx/hpx/execution/executors/auto_chunk_size.hpp
  weft/compat/hpx/hpx/execution/executors/collect_chunking_parameters.hpp
  weft/compat/hpx/hpx/execution/executors/dynamic_chunk_size.hpp
  weft/compat/hpx/hpx/execution/executors/execution.hpp
  weft/compat/hpx/hpx/execution/executors/guided_chunk_size.hpp
  weft/compat/hpx/hpx/execution/executors/max_num_chunks.hpp
  weft/compat/hpx/hpx/execution/executors/num_cores.hpp
  weft/compat/hpx/hpx/execution/executors/persistent_auto_chunk_size.hpp
  weft/compat/hpx/hpx/execution/executors/static_chunk_size.hpp
  weft/compat/hpx/hpx/execution_base/any_sender.hpp
  weft/compat/hpx/hpx/execution_base/completion_scheduler.hpp
  weft/compat/hpx/hpx/execution_base/completion_signatures.hpp
  weft/compat/hpx/hpx/execution_base/get_env.hpp
  weft/compat/hpx/hpx/execution_base/operation_state.hpp
  weft/compat/hpx/hpx/execution_base/receiver.hpp
  weft/compat/hpx/hpx/execution_base/sender.hpp
  weft/compat/hpx/hpx/executors/annotating_executor.hpp
  weft/compat/hpx/hpx/executors/async.hpp
  weft/compat/hpx/hpx/executors/dataflow.hpp
  weft/compat/hpx/hpx/executors/execution_policy.hpp
  weft/compat/hpx/hpx/executors/explicit_scheduler_executor.hpp
  weft/compat/hpx/hpx/executors/fork_join_executor.hpp
  weft/compat/hpx/hpx/executors/limiting_executor.hpp
  weft/compat/hpx/hpx/executors/parallel_executor.hpp
  weft/compat/hpx/hpx/executors/post.hpp
  weft/compat/hpx/hpx/executors/restricted_thread_pool_executor.hpp
  weft/compat/hpx/hpx/executors/scheduler_executor.hpp
  weft/compat/hpx/hpx/executors/sequenced_executor.hpp
  weft/compat/hpx/hpx/executors/sync.hpp
  weft/compat/hpx/hpx/executors/thread_pool_scheduler.hpp
  weft/compat/hpx/hpx/modules/async_combinators.hpp
  weft/compat/hpx/hpx/modules/execution_base.hpp
  weft/compat/hpx/hpx/parallel/algorithm.hpp
  weft/compat/hpx/hpx/parallel/container_algorithms.hpp
  weft/compat/hpx/hpx/parallel/memory.hpp
  weft/compat/hpx/hpx/parallel/numeric.hpp
  weft/compat/hpx/hpx/parallel/run_on_all.hpp
  weft/compat/hpx/hpx/parallel/task_block.hpp
  weft/compat/hpx/hpx/parallel/task_group.hpp)
set(hpx_missing  # each says in an #error what weft has not
  weft/compat/hpx/hpx/actions.hpp
  weft/compat/hpx/hpx/collectives.hpp
  weft/compat/hpx/hpx/components.hpp
  weft/compat/hpx/hpx/compute.hpp
  weft/compat/hpx/hpx/include/actions.hpp
  weft/compat/hpx/hpx/include/collectives.hpp
  weft/compat/hpx/hpx/include/components.hpp
  weft/compat/hpx/hpx/include/compute.hpp
  weft/compat/hpx/hpx/include/partitioned_vector.hpp
  weft/compat/hpx/hpx/include/plain_actions.hpp
  weft/compat/hpx/hpx/modules/actions.hpp
  weft/compat/hpx/hpx/modules/actions_base.hpp
  weft/compat/hpx/hpx/modules/collectives.hpp
  weft/compat/hpx/hpx/modules/components.hpp
  weft/compat/hpx/hpx/modules/compute_local.hpp
  weft/compat/hpx/hpx/modules/resource_partitioner.hpp
  weft/compat/hpx/hpx/modules/runtime_distributed.hpp
  weft/compat/hpx/hpx/modules/serialization.hpp
  weft/compat/hpx/hpx/resource_partitioner.hpp
  weft/compat/hpx/hpx/runtime_distributed.hpp
  weft/compat/hpx/hpx/serialization.hpp)
list(TRANSFORM hpx_headers PREPEND "${PROJECT_SOURCE_DIR}/include/")
list(TRANSFORM hpx_forwards PREPEND "${PROJECT_SOURCE_DIR}/include/")
list(TRANSFORM hpx_missing PREPEND "${PROJECT_SOURCE_DIR}/include/")
set(hpx_sources format hpx_main init program_options testing thread)
list(TRANSFORM hpx_sources REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/compat/\\1.cpp")

add_library(weft_hpx_compat STATIC ${hpx_sources})
add_library(weft::hpx_compat ALIAS weft_hpx_compat)
set_property(GLOBAL APPEND PROPERTY WEFT_MODULES hpx_compat)
target_link_libraries(weft_hpx_compat PUBLIC weft::algorithms weft::execution weft::tasks weft::counters weft::base
  PRIVATE $<BUILD_INTERFACE:weft_warnings>)
target_include_directories(weft_hpx_compat PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_features(weft_hpx_compat PUBLIC cxx_std_20)
target_sources(weft_hpx_compat PUBLIC
  FILE_SET hpx_headers TYPE HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include/weft/compat/hpx" FILES ${hpx_headers}
  FILE_SET hpx_forwards TYPE HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include/weft/compat/hpx" FILES ${hpx_forwards}
  FILE_SET hpx_missing TYPE HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include/weft/compat/hpx" FILES ${hpx_missing})
target_link_options(weft_hpx_compat INTERFACE LINKER:--wrap=main)
set_target_properties(weft_hpx_compat PROPERTIES
  EXPORT_NAME hpx_compat
  CXX_EXTENSIONS OFF
  POSITION_INDEPENDENT_CODE ON
  INTERFACE_HEADER_SETS_TO_VERIFY hpx_headers
  VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL})
