// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scheduler in the place of an executor.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "weft/execution/as_future.hpp"
#include "weft/execution/executor.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/then.hpp"
#include "weft/tasks/future_interface.hpp"
#include "weft/tasks/parallel_for.hpp"
#include "weft/tasks/post.hpp"

namespace weft::execution {

/// Has calls run where `Scheduler` schedules.
///
/// Work that is stopped there fails its future. Posted work that is stopped or rejected is dropped.
/// Threads: any.
/// Example: tests/execution/executor_test.cpp: schedulers_are_executors.
template <scheduler Scheduler>
class scheduler_executor {
 public:
  explicit scheduler_executor(Scheduler where) : where_(std::move(where)) {}

  friend bool operator==(const scheduler_executor&, const scheduler_executor&) = default;

  [[nodiscard]] const Scheduler& scheduler() const noexcept { return where_; }
  /// The number of workers for any scheduler: that of the caller's runtime.
  [[nodiscard]] static std::size_t num_workers() { return tasks::detail::num_workers_here(); }

  template <std::invocable F>
  void execute(F&& f) const {
    static_cast<void>(async_execute([f = std::decay_t<F>(std::forward<F>(f))]() mutable {
      try {
        static_cast<void>(f());
      } catch (...) {
        tasks::detail::handle_escaped_exception();
      }
    }));
  }
  template <class F, class... Args>
  auto async_execute(F&& f, Args&&... args) const {
    using call_type = tasks::bound_call<std::decay_t<F>, std::decay_t<Args>...>;
    return as_future(
        schedule(where_) |
        then([call = call_type(std::forward<F>(f), std::forward<Args>(args)...)]() mutable {
          return std::move(call)();
        }));
  }

 private:
  Scheduler where_;
};

}  // namespace weft::execution
