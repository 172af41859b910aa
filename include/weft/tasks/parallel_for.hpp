// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a function for every index of a range, on all workers.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <source_location>
#include <type_traits>

#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/fork_join.hpp"

namespace weft {

/// How `parallel_for` cuts its range.
struct parallel_for_options {
  /// Indices that one task takes at most, 0 as 1; none: chosen from n and the workers.
  std::optional<std::size_t> grain = {};
};

namespace tasks::detail {

/// Pieces per worker if the caller sets no grain: enough to balance pieces of unequal cost, and few
/// enough that forks cost little.
inline constexpr std::size_t bulk_pieces_per_worker = 16;

/// How many workers the calling task, or the default runtime, has.
[[nodiscard]] std::size_t num_workers_here();
/// Returns how many there are when policies take none out of use.
[[nodiscard]] std::size_t most_workers_here();

template <class F>
struct bulk_call {
  F& body;
  std::size_t grain;
  const std::source_location& where;

  void run(std::size_t first, std::size_t last) const {
    if (last - first <= grain) {
      for (; first != last; ++first) {
        body(first);
      }
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    fork_join([this, first, middle] { run(first, middle); },
              [this, middle, last] { run(middle, last); },
              where);
  }
};

/// `wanted`, or the grain that makes a few pieces per worker: all in one piece if there is one.
[[nodiscard]] inline std::size_t bulk_grain(std::size_t n,
                                            const std::optional<std::size_t>& wanted) {
  if (wanted) {
    return *wanted == 0 ? 1 : *wanted;
  }
  const std::size_t num_workers = num_workers_here();
  const std::size_t grain = num_workers == 1 ? n : n / (num_workers * bulk_pieces_per_worker);
  return grain == 0 ? 1 : grain;
}

}  // namespace tasks::detail

/// Calls `body(i)` for every i in [0, n) and returns when all calls have ended.
///
/// The range is halved until a piece holds at most `options.grain` indices; pieces run in order on
/// one worker, and others take the far halves.
/// Cost:    n calls, a fork per piece; no allocation. Under a microsecond to start and end if
///          another worker is searching.
/// Threads: from any; `body` is called from several at once. See fork_join.
/// Errors:  rethrows the exception of the least index, of the pieces that ran; later pieces that no
///          worker had started do not run.
/// Example: tests/tasks/parallel_for_test.cpp: calls_every_index_once.
template <std::invocable<std::size_t> F>
void parallel_for(std::size_t n,
                  F&& body,
                  const parallel_for_options& options = {},
                  const std::source_location& where = std::source_location::current()) {
  const std::size_t grain = tasks::detail::bulk_grain(n, options.grain);
  const tasks::detail::bulk_call<std::remove_reference_t<F>> call{body, grain, where};
  call.run(0, n);
}

}  // namespace weft
