// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An entry of a worker's deque: a function to run, and a word that shows when it is done.
#pragma once

#include <atomic>
#include <cstdint>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::tasks::detail {

struct waiter;

/// The first part of every task.
///
/// `run` performs the task, completes it, and returns the waiter that its completion made ready, or
/// null. It is called from the base of a worker's stack, where the caller can resume that waiter.
/// Code that completes a task must not touch it afterwards: its owner may already have freed it.
struct task {
  using run_function = waiter* (*)(task&) noexcept;

  // `next` stays unset: only the queue uses it, and this saves a store
  explicit task(run_function body) noexcept : run(body) {}

  run_function run;
  task* next;                                 // used by the runtime's queue while the task is in it
  std::atomic<std::uintptr_t> done{pending};  // pending, finished, failed, or a waiter's address

  static constexpr std::uintptr_t pending = 0;
  static constexpr std::uintptr_t finished = 1;
  static constexpr std::uintptr_t failed = 3;

  static constexpr bool is_final(std::uintptr_t state) noexcept { return (state & 1) != 0; }
};

/// Returns the function that users know `t` by: its body if it has one, else `run`.
[[nodiscard]] const void* label_of(const task& t) noexcept;

/// Marks `t` as `state` and returns the waiter to be resumed, or null. Afterwards `t` no longer
/// exists.
inline waiter* complete(task& t, std::uintptr_t state) noexcept {
  // acq_rel: releases the result to the waiter, acquires what the waiter wrote before it enlisted
  const std::uintptr_t before = t.done.exchange(state, std::memory_order_acq_rel);
  return reinterpret_cast<waiter*>(before);  // NOLINT(performance-no-int-to-ptr): a tagged word
}

}  // namespace weft::tasks::detail
