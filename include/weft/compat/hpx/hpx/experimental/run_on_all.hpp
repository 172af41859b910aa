// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call on every worker.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <hpx/execution.hpp>

#include "weft/execution/parallel_executor.hpp"

namespace hpx::experimental {

/// Calls `f(index, number)`, or `f(index)` or `f()`, once for each worker, on any free worker.
template <class F>
void run_on_all(F&& f) {
  const weft::execution::parallel_executor where;
  const std::size_t num_workers = where.num_workers();
  weft::execution::bulk_sync_execute(
      where,
      [&f, num_workers]([[maybe_unused]] std::size_t i) {
        static_cast<void>(num_workers);  // of one form only
        if constexpr (std::is_invocable_v<F&, std::size_t, std::size_t>) {
          f(i, num_workers);
        } else if constexpr (std::is_invocable_v<F&, std::size_t>) {
          f(i);
        } else {
          f();
        }
      },
      num_workers);
}

}  // namespace hpx::experimental
