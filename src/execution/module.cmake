# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_module(execution STATIC
  HEADERS
    weft/execution.hpp
    weft/compat/parallel_scheduler.hpp
    weft/execution/any_sender.hpp
    weft/execution/as_awaitable.hpp
    weft/execution/as_future.hpp
    weft/execution/associate.hpp
    weft/execution/bulk.hpp
    weft/execution/completion_signatures.hpp
    weft/execution/continues_on.hpp
    weft/execution/counting_scope.hpp
    weft/execution/detail/allocate.hpp
    weft/execution/detail/awaitable.hpp
    weft/execution/detail/storage.hpp
    weft/execution/inline_scheduler.hpp
    weft/execution/into_variant.hpp
    weft/execution/just.hpp
    weft/execution/let.hpp
    weft/execution/on.hpp
    weft/execution/queries.hpp
    weft/execution/read_env.hpp
    weft/execution/run_loop.hpp
    weft/execution/runtime_scheduler.hpp
    weft/execution/scheduler.hpp
    weft/execution/sender.hpp
    weft/execution/sender_adaptor_closure.hpp
    weft/execution/spawn.hpp
    weft/execution/spawn_future.hpp
    weft/execution/split.hpp
    weft/execution/starts_on.hpp
    weft/execution/stop_token.hpp
    weft/execution/stopped_as.hpp
    weft/execution/sync_wait.hpp
    weft/execution/then.hpp
    weft/execution/when_all.hpp
    weft/execution/when_all_range.hpp
    weft/execution/when_any.hpp
    weft/execution/write_env.hpp
  SOURCES
    execution/bulk.cpp
    execution/counting_scope.cpp
    execution/run_loop.cpp
    execution/stop_token.cpp
    execution/sync_wait.cpp
  DEPENDS weft::tasks)
target_include_directories(weft_execution PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
