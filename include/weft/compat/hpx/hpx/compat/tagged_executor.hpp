// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executors that programs write HPX's way: a tag_invoke for each function, and a trait that says
// so.
#pragma once

#include <type_traits>
#include <utility>

#include "weft/execution/async.hpp"
#include "weft/execution/executor.hpp"
#include "weft/tasks/dataflow.hpp"
#include "weft/tasks/launch.hpp"

namespace hpx {

namespace parallel::execution {
using weft::execution::async_execute_t;
using weft::execution::post_t;
using weft::execution::sync_execute_t;
using weft::execution::then_execute_t;
}  // namespace parallel::execution

namespace execution::experimental {

/// Specialise it for an executor with `tag_invoke(hpx::parallel::execution::post_t, executor, f,
/// args...)`, or with `async_execute_t` in its place, which returns a future.
template <class Executor>
struct is_one_way_executor : std::bool_constant<weft::execution::executor<Executor>> {};
template <class Executor>
struct is_two_way_executor : std::bool_constant<weft::execution::executor<Executor>> {};
template <class Executor>
inline constexpr bool is_one_way_executor_v = is_one_way_executor<Executor>::value;
template <class Executor>
inline constexpr bool is_two_way_executor_v = is_two_way_executor<Executor>::value;

}  // namespace execution::experimental

namespace compat {

template <class E>
concept tagged_executor = !weft::execution::executor<E> &&
                          execution::experimental::is_two_way_executor_v<std::remove_cvref_t<E>>;

}  // namespace compat

/// Has `f(args...)` called by the executor's own function; gives what that returns.
template <compat::tagged_executor Executor, class F, class... Args>
decltype(auto) async(Executor&& where, F&& f, Args&&... args) {
  return tag_invoke(parallel::execution::async_execute_t(),
                    std::forward<Executor>(where),
                    std::forward<F>(f),
                    std::forward<Args>(args)...);
}
template <compat::tagged_executor Executor, class F, class... Args>
void post(Executor&& where, F&& f, Args&&... args) {
  if constexpr (execution::experimental::is_one_way_executor_v<std::remove_cvref_t<Executor>>) {
    tag_invoke(parallel::execution::post_t(),
               std::forward<Executor>(where),
               std::forward<F>(f),
               std::forward<Args>(args)...);
  } else {
    static_cast<void>(
        hpx::async(std::forward<Executor>(where), std::forward<F>(f), std::forward<Args>(args)...));
  }
}
/// The same once all futures among the arguments are ready.
template <compat::tagged_executor Executor, class F, class... Args>
auto dataflow(Executor&& where, F&& f, Args&&... args) {
  return weft::dataflow(
      weft::launch::sync,
      [where = std::remove_cvref_t<Executor>(where),
       f = std::decay_t<F>(std::forward<F>(f))](auto&&... ready) mutable {
        return hpx::async(where, std::move(f), std::forward<decltype(ready)>(ready)...);
      },
      std::forward<Args>(args)...);
}

}  // namespace hpx
