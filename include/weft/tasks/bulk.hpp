// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a function for every index of a range, on all workers.
#pragma once

#include <concepts>
#include <cstddef>
#include <source_location>

#include "weft/tasks/detail/worker.hpp"
#include "weft/tasks/fork_join.hpp"

namespace weft {

struct bulk_options {
  std::size_t grain = 0;  // indices that one task takes at least; 0: chosen from n and the workers
};

namespace tasks::detail {

/// Pieces per worker when the caller leaves the grain to us: enough to even out pieces of unequal
/// cost, few enough for a fork per piece not to be seen.
inline constexpr std::size_t bulk_pieces_per_worker = 16;

/// How many workers the calling task, or the default runtime, has.
[[nodiscard]] std::size_t num_workers_here();

template <class F>
void bulk_range(std::size_t first,
                std::size_t last,
                std::size_t grain,
                F& body,
                const std::source_location& where) {
  if (last - first <= grain) {
    for (; first != last; ++first) {
      body(first);
    }
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  fork_join([&] { bulk_range(first, middle, grain, body, where); },
            [&] { bulk_range(middle, last, grain, body, where); },
            where);
}

}  // namespace tasks::detail

/// Calls `body(i)` for every i in [0, n) and returns when all calls have ended.
///
/// The range is halved until a piece holds at most `options.grain` indices; pieces run in order on
/// one worker, and others take the far halves.
/// Cost:    n calls, a fork per piece; no allocation. Under a microsecond to start and end if
///          another worker is searching.
/// Threads: from any; `body` is called from several at once. See fork_join.
/// Errors:  of those that calls throw, the one with the least index of the pieces that ran is
///          rethrown; pieces after it that no worker had taken do not run.
/// Example: tests/tasks/bulk_test.cpp: calls_every_index_once.
template <std::invocable<std::size_t> F>
void bulk(std::size_t n,
          F&& body,
          const bulk_options& options = {},
          const std::source_location& where = std::source_location::current()) {
  const std::size_t pieces =
      tasks::detail::num_workers_here() * tasks::detail::bulk_pieces_per_worker;
  const std::size_t chosen = pieces == tasks::detail::bulk_pieces_per_worker ? n : n / pieces;
  const std::size_t grain = options.grain != 0 ? options.grain : (chosen == 0 ? 1 : chosen);
  tasks::detail::bulk_range(0, n, grain, body, where);
}

}  // namespace weft
