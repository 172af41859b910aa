// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executor of a runtime's workers: a task per call.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "weft/execution/detail/start_on.hpp"
#include "weft/execution/executor.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/parallel_for.hpp"
#include "weft/tasks/runtime.hpp"

namespace weft::execution {

/// Has calls run as tasks, of the caller's runtime or of a given one, which must outlive them.
///
/// `how` is for `async_execute` in the caller's runtime; another one's tasks are queued there. Its
/// priority is for `post`, `execute` and `async_execute` in any; bulk calls are forks of the
/// caller.
/// Threads: any.
/// Example: tests/execution/executor_test.cpp: parallel_runs_on_workers.
class parallel_executor {
 public:
  explicit parallel_executor(launch how = launch::async) noexcept : how_(how) {}
  explicit parallel_executor(runtime& home, launch how = launch::async) noexcept
      : home_(&home), how_(how) {}

  friend bool operator==(const parallel_executor&, const parallel_executor&) noexcept = default;

  /// The same executor for tasks of that priority.
  /// Example: tests/execution/executor_test.cpp: a_priority_is_for_tasks_of_the_executor.
  [[nodiscard]] parallel_executor with_priority(task_priority priority) const noexcept {
    parallel_executor changed(*this);
    changed.how_ = how_.with_priority(priority);
    return changed;
  }

  /// Null: that of the caller.
  [[nodiscard]] runtime* home() const noexcept { return home_; }
  [[nodiscard]] std::size_t num_workers() const {
    return home_ != nullptr ? static_cast<std::size_t>(home_->num_workers())
                            : tasks::detail::num_workers_here();
  }

  template <std::invocable F>
  void execute(F&& f) const {
    detail::post_on_as(how_.priority(), home_, std::forward<F>(f));
  }
  template <class F, class... Args>
  void post(F&& f, Args&&... args) const {
    detail::post_on_as(how_.priority(), home_, std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  decltype(auto) sync_execute(F&& f, Args&&... args) const {
    return on_home([&]() -> decltype(auto) {
      return std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
    });
  }
  template <class F, class... Args>
  auto async_execute(F&& f, Args&&... args) const {
    if (detail::is_at(home_)) {
      return async(how_, std::forward<F>(f), std::forward<Args>(args)...);
    }
    return detail::async_on_as(
        how_.priority(), *home_, std::forward<F>(f), std::forward<Args>(args)...);
  }
  /// Cost:    as `weft::parallel_for`: a fork per piece, no allocation but for results.
  template <class F, bulk_shape Shape, class... Args>
  auto bulk_sync_execute(F&& f, const Shape& shape, Args&&... args) const {
    using result = detail::result_of<F, detail::element_of<Shape>, std::decay_t<Args>&...>;
    const detail::shape_elements<Shape> elements(shape);
    const auto run = [this](std::size_t n, auto& body) {
      this->on_home(
          [&] { weft::parallel_for(n, [&body](std::size_t i) { static_cast<void>(body(i)); }); });
    };
    return detail::collect<result>(
        detail::size_of(shape), run, detail::numbered_call(f, elements, args...));
  }

 private:
  template <class F>
  decltype(auto) on_home(F&& f) const {
    if (detail::is_at(home_)) {
      return f();
    }
    return home_->run(f);
  }

  runtime* home_ = nullptr;
  launch how_;
};

}  // namespace weft::execution
