// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executor that runs every call on the calling thread.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <utility>

#include "weft/execution/executor.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/when_all.hpp"

namespace weft::execution {

/// Calls what it is given at once, in the order of the indices, before the function returns.
///
/// Exception: `async_execute` defers a call that has a future among its arguments which is not
/// ready. The call then runs when its result is asked for.
/// Threads: any; it has no state.
/// Example: tests/execution/executor_test.cpp: sequenced_runs_in_order_in_the_caller.
class sequenced_executor {
 public:
  friend constexpr bool operator==(sequenced_executor, sequenced_executor) noexcept = default;

  [[nodiscard]] static constexpr std::size_t num_workers() noexcept { return 1; }

  template <std::invocable F>
  static void execute(F&& f) {
    static_cast<void>(std::invoke(std::forward<F>(f)));
  }
  template <class F, class... Args>
  static decltype(auto) sync_execute(F&& f, Args&&... args) {
    return std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  static auto async_execute(F&& f, Args&&... args) {
    bool are_ready = true;
    [[maybe_unused]] auto look = [&are_ready](const auto& each) {
      are_ready = are_ready && each.is_ready();
    };
    (tasks::detail::for_each_future(args, look), ...);
    return async(are_ready ? launch::sync : launch::deferred,
                 std::forward<F>(f),
                 std::forward<Args>(args)...);
  }
  template <class F, bulk_shape Shape, class... Args>
  static auto bulk_sync_execute(F&& f, const Shape& shape, Args&&... args) {
    using result = detail::result_of<F, detail::element_of<Shape>, std::decay_t<Args>&...>;
    const detail::shape_elements<Shape> elements(shape);
    const auto run = [](std::size_t n, auto& body) {
      for (std::size_t i = 0; i < n; ++i) {
        static_cast<void>(body(i));
      }
    };
    return detail::collect<result>(
        detail::size_of(shape), run, detail::numbered_call(f, elements, args...));
  }
};

}  // namespace weft::execution
