# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_module(execution COMPILED
  UMBRELLA weft/execution.hpp
  HEADERS
    weft/compat/parallel_scheduler.hpp
    weft/execution/annotating_executor.hpp
    weft/execution/async.hpp
    weft/execution/detail/allocate.hpp
    weft/execution/detail/as_exception_ptr.hpp
    weft/execution/detail/awaitable.hpp
    weft/execution/detail/environment_promise.hpp
    weft/execution/detail/fork_join_team.hpp
    weft/execution/detail/frame_allocator.hpp
    weft/execution/detail/limit.hpp
    weft/execution/detail/parts.hpp
    weft/execution/detail/start_on.hpp
    weft/execution/detail/storage.hpp
    weft/execution/detail/workers_backend.hpp
    weft/execution/executor.hpp
    weft/execution/executor_concept.hpp
    weft/execution/executors.hpp
    weft/execution/fork_join_executor.hpp
    weft/execution/limiting_executor.hpp
    weft/execution/parallel_executor.hpp
    weft/execution/scheduler_executor.hpp
    weft/execution/sequenced_executor.hpp
  SOURCES
    execution/bulk.cpp
    execution/counting_scope.cpp
    execution/fork_join_team.cpp
    execution/limit.cpp
    execution/parallel_scheduler.cpp
    execution/run_loop.cpp
    execution/sleep.cpp
    execution/start_on.cpp
    execution/sync_wait.cpp
    execution/lazy_task.cpp
  DEPENDS weft::tasks weft::counters weft::base)
target_include_directories(weft_execution PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
