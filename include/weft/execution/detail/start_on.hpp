// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts tasks on a runtime that is not the caller's.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/future_interface.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::execution::detail {

/// Of `home`, or of the calling task, or of the default runtime if `home` is null.
/// Errors: `weft::error` in a fork of the process that started `home`.
[[nodiscard]] tasks::scheduler& scheduler_of(runtime* home);

/// True if what is called here runs on a worker of `home` already; a null `home` is the caller's.
[[nodiscard]] bool is_at(runtime* home) noexcept;

/// As `weft::async` on the workers of `home`.
template <class F, class... Args>
future<tasks::result_of<F, Args...>> async_on_as(task_priority priority,
                                                 runtime& home,
                                                 F&& f,
                                                 Args&&... args) {
  auto* const block = tasks::make_block<tasks::detail::bound_block<F, Args...>>(
      tasks::self(), std::forward<F>(f), std::forward<Args>(args)...);
  try {
    block->place = tasks::start_as(priority, scheduler_of(&home), *block);
  } catch (...) {
    tasks::detail::drop_unstarted(*block);
    throw;
  }
  return tasks::future_access::make<tasks::result_of<F, Args...>>(block);
}

template <class F, class... Args>
auto async_on(runtime& home, F&& f, Args&&... args) {
  return async_on_as(task_priority::normal, home, std::forward<F>(f), std::forward<Args>(args)...);
}

/// As `weft::post` on the workers of `home`, or the caller's if that is null.
template <class F, class... Args>
void post_on_as(task_priority priority, runtime* home, F&& f, Args&&... args) {
  tasks::detail::post_as(
      priority, scheduler_of(home), std::forward<F>(f), std::forward<Args>(args)...);
}
template <class F, class... Args>
void post_on(runtime* home, F&& f, Args&&... args) {
  post_on_as(task_priority::normal, home, std::forward<F>(f), std::forward<Args>(args)...);
}

}  // namespace weft::execution::detail
