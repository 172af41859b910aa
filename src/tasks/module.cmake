# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(WEFT_CONTEXT "auto" CACHE STRING "How stacks are switched: auto (own assembly where there is some) or ucontext (slow, portable)")
set_property(CACHE WEFT_CONTEXT PROPERTY STRINGS auto ucontext)
if(WEFT_CONTEXT STREQUAL "auto" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(context_switch tasks/context_x86_64.cpp)
elseif(WEFT_CONTEXT STREQUAL "auto" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(context_switch tasks/context_aarch64.cpp)
elseif(WEFT_CONTEXT MATCHES "^(auto|ucontext)$")
  set(context_switch tasks/context_ucontext.cpp)
else()
  message(FATAL_ERROR "WEFT_CONTEXT is \"${WEFT_CONTEXT}\"; it takes auto or ucontext")
endif()

weft_module(tasks STATIC
  HEADERS
    weft/tasks.hpp
    weft/tasks/annotation.hpp
    weft/tasks/async.hpp
    weft/tasks/barrier.hpp
    weft/tasks/blocking.hpp
    weft/tasks/bulk.hpp
    weft/tasks/channel.hpp
    weft/tasks/condition_variable.hpp
    weft/tasks/coroutine_async.hpp
    weft/tasks/coroutine_fork.hpp
    weft/tasks/coroutine_future.hpp
    weft/tasks/dataflow.hpp
    weft/tasks/deadlock.hpp
    weft/tasks/detail/block_cache.hpp
    weft/tasks/detail/block_memory.hpp
    weft/tasks/detail/channel_state.hpp
    weft/tasks/detail/continuation.hpp
    weft/tasks/detail/coroutine_fork.hpp
    weft/tasks/detail/coroutine_outcome.hpp
    weft/tasks/detail/coroutine_promise.hpp
    weft/tasks/detail/coroutine_root.hpp
    weft/tasks/detail/disturb.hpp
    weft/tasks/detail/forked.hpp
    weft/tasks/detail/future_access.hpp
    weft/tasks/detail/future_awaiter.hpp
    weft/tasks/detail/future_block.hpp
    weft/tasks/detail/future_state.hpp
    weft/tasks/detail/gate.hpp
    weft/tasks/detail/held_locks.hpp
    weft/tasks/detail/identity.hpp
    weft/tasks/detail/self.hpp
    weft/tasks/detail/spin_lock.hpp
    weft/tasks/detail/split_deque.hpp
    weft/tasks/detail/stack.hpp
    weft/tasks/detail/task.hpp
    weft/tasks/detail/task_clock.hpp
    weft/tasks/detail/task_scope.hpp
    weft/tasks/detail/thread_state.hpp
    weft/tasks/detail/timed_wait.hpp
    weft/tasks/detail/wait_queue.hpp
    weft/tasks/detail/waiter.hpp
    weft/tasks/detail/worker.hpp
    weft/tasks/event.hpp
    weft/tasks/fork_join.hpp
    weft/tasks/future.hpp
    weft/tasks/future_error.hpp
    weft/tasks/futures.hpp
    weft/tasks/generator.hpp
    weft/tasks/inplace_stop_token.hpp
    weft/tasks/latch.hpp
    weft/tasks/launch.hpp
    weft/tasks/lock.hpp
    weft/tasks/mutex.hpp
    weft/tasks/once.hpp
    weft/tasks/packaged_task.hpp
    weft/tasks/pipeline.hpp
    weft/tasks/placement.hpp
    weft/tasks/post.hpp
    weft/tasks/promise.hpp
    weft/tasks/runtime.hpp
    weft/tasks/runtime_options.hpp
    weft/tasks/semaphore.hpp
    weft/tasks/shared_future.hpp
    weft/tasks/shared_mutex.hpp
    weft/tasks/spinlock.hpp
    weft/tasks/stop_token.hpp
    weft/tasks/split_future.hpp
    weft/tasks/task.hpp
    weft/tasks/task_graph.hpp
    weft/tasks/task_group.hpp
    weft/tasks/this_task.hpp
    weft/tasks/timing_mode.hpp
    weft/tasks/thread.hpp
    weft/tasks/unwrapping.hpp
    weft/tasks/when_all.hpp
    weft/tasks/when_any.hpp
    weft/tasks/when_each.hpp
  SOURCES
    ${context_switch}
    tasks/annotation.cpp
    tasks/barrier.cpp
    tasks/block_cache.cpp
    tasks/blocking.cpp
    tasks/calibration.cpp
    tasks/call_sites.cpp
    tasks/channel.cpp
    tasks/condition_variable.cpp
    tasks/coroutine.cpp
    tasks/event.cpp
    tasks/futex.cpp
    tasks/future_post.cpp
    tasks/future_state.cpp
    tasks/held_locks.cpp
    tasks/latch.cpp
    tasks/mutex.cpp
    tasks/park.cpp
    tasks/placement.cpp
    tasks/placement_environment.cpp
    tasks/print_binding.cpp
    tasks/process_generation.cpp
    tasks/runtime.cpp
    tasks/runtime_counter_rows.cpp
    tasks/runtime_counters.cpp
    tasks/runtime_formulas.cpp
    tasks/runtime_moment.cpp
    tasks/runtime_options.cpp
    tasks/runtime_parts.cpp
    tasks/scheduler.cpp
    tasks/search.cpp
    tasks/semaphore.cpp
    tasks/shared_mutex.cpp
    tasks/split_deque.cpp
    tasks/stack_guard.cpp
    tasks/stack_overflow.cpp
    tasks/stack_pool.cpp
    tasks/stack_ranges.cpp
    tasks/stack_sanitizers.cpp
    tasks/stack_slab.cpp
    tasks/stack_switch.cpp
    tasks/steal_order.cpp
    tasks/standstill.cpp
    tasks/stop_token.cpp
    tasks/task_clock.cpp
    tasks/task_graph.cpp
    tasks/task_graph_picture.cpp
    tasks/task_group.cpp
    tasks/task_scope.cpp
    tasks/this_task.cpp
    tasks/thread.cpp
    tasks/timer.cpp
    tasks/visit.cpp
    tasks/wait_in_place.cpp
    tasks/worker_loop.cpp
  DEPENDS weft::counters weft::base Threads::Threads)
weft_optimise_library(weft_tasks)
# Inline functions track who holds which lock if the library does, whatever their user is built with.
get_property(has_configurations GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
if(has_configurations)
  target_compile_definitions(weft_tasks PUBLIC "$<$<CONFIG:Debug>:WEFT_TRACKS_LOCKS>")
elseif(NOT "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" MATCHES "-DNDEBUG")
  target_compile_definitions(weft_tasks PUBLIC WEFT_TRACKS_LOCKS)
endif()
target_include_directories(weft_tasks PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
