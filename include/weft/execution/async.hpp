// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `async`, `sync` and `dataflow` with an executor in the place of a launch policy.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "weft/execution/executor.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/dataflow.hpp"
#include "weft/tasks/launch.hpp"

namespace weft {

/// Calls a copy of `f` with copies of `args` on `where`; a future for the result.
/// Example: tests/execution/executor_test.cpp: two_members_make_an_executor.
template <execution::executor Executor, class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...>
auto async(Executor&& where, F&& f, Args&&... args) {
  return execution::async_execute(where, std::forward<F>(f), std::forward<Args>(args)...);
}

/// Calls `f(args...)` on `where` and returns the result.
template <execution::executor Executor, class F, class... Args>
  requires std::invocable<F, Args...>
decltype(auto) sync(Executor&& where, F&& f, Args&&... args) {
  return execution::sync_execute(where, std::forward<F>(f), std::forward<Args>(args)...);
}

/// As `dataflow(f, args...)`, with the call on `where`.
template <execution::executor Executor, class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...>
auto dataflow(Executor&& where, F&& f, Args&&... args) {
  return dataflow(
      launch::sync,
      [where = std::remove_cvref_t<Executor>(where),
       f = std::decay_t<F>(std::forward<F>(f))](auto&&... ready) mutable {
        return execution::async_execute(
            where, std::move(f), std::forward<decltype(ready)>(ready)...);
      },
      std::forward<Args>(args)...);
}

}  // namespace weft
