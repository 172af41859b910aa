// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task blocks: tasks that end before the block does.
#pragma once

#include <concepts>
#include <exception>
#include <type_traits>
#include <utility>

#include <hpx/experimental/task_group.hpp>

#include "weft/algorithms/policy.hpp"
#include "weft/tasks/task_group.hpp"

namespace hpx::experimental {

/// What `define_task_block` gives to its function.
class task_block {
 public:
  template <std::invocable F>
  void run(F&& f) {
    group_.run(std::forward<F>(f));
  }
  /// Returns when all tasks have ended. Errors: the exception of the one that was started first.
  void wait() { group_.wait(); }

 private:
  template <class F>
  friend void define_task_block(F&& f);
  task_block() = default;
  weft::task_group group_;
};

/// Calls `f(block)` and returns when it and all tasks of the block have ended.
/// Errors:  what `f` throws; else as `task_block::wait`.
template <class F>
void define_task_block(F&& f) {
  task_block block;
  std::forward<F>(f)(block);
  block.wait();
}
template <weft::execution_policy Policy, class F>
void define_task_block(const Policy& /*policy*/, F&& f) {
  hpx::experimental::define_task_block(std::forward<F>(f));
}
/// In weft the caller is a task, too, and threads may change in both forms.
template <class F>
void define_task_block_restore_thread(F&& f) {
  hpx::experimental::define_task_block(std::forward<F>(f));
}

}  // namespace hpx::experimental
