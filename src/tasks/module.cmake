# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(WEFT_CONTEXT "auto" CACHE STRING "How stacks are switched: auto (own assembly where there is some) or ucontext (slow, portable)")
set_property(CACHE WEFT_CONTEXT PROPERTY STRINGS auto ucontext)
if(WEFT_CONTEXT STREQUAL "auto" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(context_switch tasks/stacks/context_x86_64.cpp)
elseif(WEFT_CONTEXT STREQUAL "auto" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(context_switch tasks/stacks/context_aarch64.cpp)
elseif(WEFT_CONTEXT MATCHES "^(auto|ucontext)$")
  set(context_switch tasks/stacks/context_ucontext.cpp)
else()
  message(FATAL_ERROR "WEFT_CONTEXT is \"${WEFT_CONTEXT}\"; it takes auto or ucontext")
endif()

weft_module(tasks COMPILED
  UMBRELLA weft/tasks.hpp
  HEADERS
    weft/tasks/alarm.hpp
    weft/tasks/coroutine_interface.hpp
    weft/tasks/detail/counters/task_clock.hpp
    weft/tasks/detail/deque/split_deque.hpp
    weft/tasks/detail/deque/task.hpp
    weft/tasks/detail/futures/continuation.hpp
    weft/tasks/detail/futures/coroutine_fork.hpp
    weft/tasks/detail/futures/coroutine_outcome.hpp
    weft/tasks/detail/futures/coroutine_promise.hpp
    weft/tasks/detail/futures/coroutine_root.hpp
    weft/tasks/detail/futures/future_access.hpp
    weft/tasks/detail/futures/future_awaiter.hpp
    weft/tasks/detail/futures/future_block.hpp
    weft/tasks/detail/futures/future_state.hpp
    weft/tasks/detail/futures/gate.hpp
    weft/tasks/detail/futures/thread_state.hpp
    weft/tasks/detail/groups/task_scope.hpp
    weft/tasks/detail/scheduler/block_cache.hpp
    weft/tasks/detail/scheduler/block_memory.hpp
    weft/tasks/detail/scheduler/delay_probe.hpp
    weft/tasks/detail/scheduler/disturb.hpp
    weft/tasks/detail/scheduler/forked.hpp
    weft/tasks/detail/scheduler/identity.hpp
    weft/tasks/detail/scheduler/self.hpp
    weft/tasks/detail/scheduler/worker.hpp
    weft/tasks/detail/stacks/nested_stack.hpp
    weft/tasks/detail/stacks/stack.hpp
    weft/tasks/detail/sync/channel_state.hpp
    weft/tasks/detail/sync/held_locks.hpp
    weft/tasks/detail/sync/spin_lock.hpp
    weft/tasks/detail/waiting/alarm.hpp
    weft/tasks/detail/waiting/timed_wait.hpp
    weft/tasks/detail/waiting/wait_queue.hpp
    weft/tasks/detail/waiting/waiter.hpp
    weft/tasks/future_interface.hpp
    weft/tasks/progress.hpp
    weft/tasks/runtime_interface.hpp
    weft/tasks/runtime_knobs.hpp
    weft/tasks/runtime_types.hpp
  SOURCES
    ${context_switch}
    tasks/counters/annotation.cpp
    tasks/counters/calibration.cpp
    tasks/counters/runtime_counter_rows.cpp
    tasks/counters/runtime_counters.cpp
    tasks/counters/runtime_formulas.cpp
    tasks/counters/runtime_moment.cpp
    tasks/counters/task_clock.cpp
    tasks/deque/split_deque.cpp
    tasks/futures/blocking.cpp
    tasks/futures/coroutine.cpp
    tasks/futures/future_post.cpp
    tasks/futures/future_state.cpp
    tasks/futures/thread.cpp
    tasks/groups/task_graph.cpp
    tasks/groups/task_graph_picture.cpp
    tasks/groups/task_group.cpp
    tasks/groups/task_scope.cpp
    tasks/runtime/abi.cpp
    tasks/runtime/placement.cpp
    tasks/runtime/placement_environment.cpp
    tasks/runtime/print_binding.cpp
    tasks/runtime/process_generation.cpp
    tasks/runtime/runtime.cpp
    tasks/runtime/runtime_knobs.cpp
    tasks/runtime/runtime_options.cpp
    tasks/runtime/runtime_parts.cpp
    tasks/runtime/this_task.cpp
    tasks/scheduler/block_cache.cpp
    tasks/scheduler/delay_probe.cpp
    tasks/scheduler/park.cpp
    tasks/scheduler/progress_poller.cpp
    tasks/scheduler/runtime_interface.cpp
    tasks/scheduler/scheduler.cpp
    tasks/scheduler/search.cpp
    tasks/scheduler/self.cpp
    tasks/scheduler/steal_order.cpp
    tasks/scheduler/visit.cpp
    tasks/scheduler/worker.cpp
    tasks/scheduler/worker_loop.cpp
    tasks/stacks/nested_stack.cpp
    tasks/stacks/stack_guard.cpp
    tasks/stacks/stack_overflow.cpp
    tasks/stacks/stack_pool.cpp
    tasks/stacks/stack_ranges.cpp
    tasks/stacks/stack_sanitizers.cpp
    tasks/stacks/stack_slab.cpp
    tasks/stacks/stack_switch.cpp
    tasks/sync/barrier.cpp
    tasks/sync/channel.cpp
    tasks/sync/condition_variable.cpp
    tasks/sync/event.cpp
    tasks/sync/held_locks.cpp
    tasks/sync/latch.cpp
    tasks/sync/mutex.cpp
    tasks/sync/semaphore.cpp
    tasks/sync/shared_mutex.cpp
    tasks/sync/stop_token.cpp
    tasks/waiting/call_sites.cpp
    tasks/waiting/futex.cpp
    tasks/waiting/standstill.cpp
    tasks/waiting/timer.cpp
    tasks/waiting/wait_in_place.cpp
    tasks/waiting/waiter.cpp
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
