// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts a call as a task and gives a future for its result.
#pragma once

#include <concepts>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include "weft/tasks/future.hpp"

namespace weft {

namespace tasks::detail {

template <class Block>
[[gnu::noinline, gnu::cold]] void start_from_outside(Block& block) {
  try {
    start(current_scheduler(), block);
  } catch (...) {
    block.done.store(future_state::unstarted, std::memory_order_relaxed);
    abandon(block);
    throw;
  }
}

template <class Block>
[[gnu::noinline, gnu::cold]] void drop_unstarted(Block& block) noexcept {
  block.done.store(future_state::unstarted, std::memory_order_relaxed);
  abandon(block);
}

/// Queues `block`, or frees it and throws.
template <class Block>
[[gnu::always_inline]] inline void start_block(worker* w, Block& block) {
  if (w == nullptr) [[unlikely]] {
    start_from_outside(block);
    return;
  }
  try {
    block.place = start_here(*w, block);
  } catch (...) {
    drop_unstarted(block);
    throw;
  }
}

/// As `start_block`, by priority.
template <class Block>
[[gnu::noinline]] void start_block_as(task_priority priority, Block& block) {
  try {
    block.place = start_as(priority, current_scheduler(), block);
  } catch (...) {
    drop_unstarted(block);
    throw;
  }
}

/// Runs `child` next and queues the caller beneath it, for others to take.
void run_before_caller(future_state& child);

template <class F, class... Args>
using bound_block =
    task_block<result_of<F, Args...>, bound_call<std::decay_t<F>, std::decay_t<Args>...>>;

template <class F, class... Args>
[[gnu::always_inline]] inline future<result_of<F, Args...>> async_as(launch policy,
                                                                     F&& f,
                                                                     Args&&... args) {
  using block_type = bound_block<F, Args...>;
  worker* w = self();
  auto* block = make_block<block_type>(w, std::forward<F>(f), std::forward<Args>(args)...);
  if (policy == launch::async) {
    start_block(w, *block);
  } else if (policy.is_queued()) {
    start_block_as(policy.priority(), *block);
  } else {
    block->done.store(future_state::unstarted, std::memory_order_relaxed);
  }
  future<result_of<F, Args...>> result = future_access::make<result_of<F, Args...>>(block);
  if (policy == launch::sync) {
    result.wait();
  } else if (policy == launch::fork) {
    run_before_caller(*block);
  }
  return result;
}

}  // namespace tasks::detail

/// Calls a copy of `f` with copies of `args`, when and where `policy` says.
///
/// Cost:    one block from the worker's own supply and a push; a cache line of memory.
/// Threads: from any. A thread that is not a worker uses the default runtime.
/// Errors:  what copying throws; std::bad_alloc; then nothing is started. What `f` throws is for
///          the future's owner.
/// Example: tests/tasks/async_test.cpp: every_policy_gives_the_result.
template <class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...>
[[gnu::always_inline]] inline future<tasks::detail::result_of<F, Args...>> async(launch policy,
                                                                                 F&& f,
                                                                                 Args&&... args) {
  return tasks::detail::async_as(policy, std::forward<F>(f), std::forward<Args>(args)...);
}

/// As `async(launch::async, f, args...)`.
template <class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...>
[[gnu::always_inline]] inline future<tasks::detail::result_of<F, Args...>> async(F&& f,
                                                                                 Args&&... args) {
  return tasks::detail::async_as(launch::async, std::forward<F>(f), std::forward<Args>(args)...);
}

}  // namespace weft
