// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts a coroutine task at once and gives a future for its result.
#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/futures/coroutine_outcome.hpp"
#include "weft/tasks/detail/futures/coroutine_promise.hpp"
#include "weft/tasks/detail/futures/future_block.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/promise.hpp"

namespace weft {
namespace tasks::detail {

/// A coroutine on its own, which keeps a promise at its end; frees itself then.
template <class T>
class started_coroutine : public task, completion {
 public:
  explicit started_coroutine(weft::lazy_task<T>& work)
      : task(run_it), completion(complete_it), work_(std::move(work)) {}

  future<T> get_future() { return promise_.get_future(); }

 private:
  static waiter* run_it(task& t) noexcept {
    auto& me = static_cast<started_coroutine&>(t);
    const coroutine fresh = release(me.work_);
    fresh.promise().result = &me.result_;
    fresh.promise().after = successor(static_cast<completion&>(me));
    nested_call call{nullptr};
    run_nested(fresh, call);
    if (call.is_done) {
      complete_it(me);
    }
    return nullptr;
  }

  static void complete_it(completion& c) noexcept {
    auto& me = static_cast<started_coroutine&>(c);
    std::exception_ptr raised;
    try {
      if constexpr (std::is_void_v<T>) {
        me.result_.take();
        me.promise_.set_value();
      } else {
        me.promise_.set_value(me.result_.take());
      }
    } catch (...) {
      raised = std::current_exception();
    }
    if (raised != nullptr) {  // after the handler, so that only the future has the exception
      me.promise_.set_exception(std::move(raised));
    }
    destroy_block(me);
  }

  weft::lazy_task<T> work_;  // until it starts
  outcome<T> result_;
  promise<T> promise_;
};

template <class T>
void start_or_free(started_coroutine<T>& block) {
  try {
    start(current_scheduler(), block);
  } catch (...) {
    destroy_block(block);
    throw;
  }
}

}  // namespace tasks::detail

/// Starts `work`, whether anybody waits for it or not. While it is suspended it takes its frames,
/// and no stack.
///
/// Cost:    two blocks of memory from the worker's own, and a push.
/// Threads: from any. A thread that is not a worker uses the default runtime.
/// Errors:  std::bad_alloc; then nothing is started. What `work` throws is for the future's owner.
/// Example: tests/tasks/coroutine_async_test.cpp: gives_futures_of_all_kinds
template <class T>
future<T> async(lazy_task<T> work) {
  namespace detail = tasks::detail;
  auto* block = detail::make_block<detail::started_coroutine<T>>(detail::self(), work);
  future<T> result = block->get_future();
  detail::start_or_free(*block);
  return result;
}

}  // namespace weft
