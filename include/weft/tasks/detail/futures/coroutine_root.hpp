// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A coroutine without an awaiter, as a task that ordinary code waits for.
#pragma once

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/futures/coroutine_promise.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft::tasks::detail {

/// A root that lives in the frame of the waiting code.
class coroutine_root : task, completion {
 public:
  coroutine_root(coroutine fresh, void* result) noexcept
      : task(start_root), completion(complete_root), coroutine_(fresh) {
    fresh.promise().result = result;
    fresh.promise().after = successor(static_cast<completion&>(*this));
  }

  /// Runs the coroutine here if there is room, else as a task, and returns when it has ended.
  void run_and_wait(const wait_reason& why);

 private:
  static waiter* start_root(task& t) noexcept;
  static void complete_root(completion& c) noexcept;

  coroutine coroutine_;
};

}  // namespace weft::tasks::detail
