// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approaches by senders: a schedule, one of the bulk adaptors, then the sum: listing 5 of the
// paper.
#pragma once

#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "weft/execution/bulk.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sync_wait.hpp"
#include "weft/execution/then.hpp"
#include "weft/tasks/runtime.hpp"

#include "lab/approaches/backends/weft_pool.hpp"
#include "lab/tasks/backends/weft_runtime.hpp"

namespace weft::lab::approaches {

/// `Bulk::over(count, body)` is the adaptor that calls body(0), ..., body(count - 1).
template <class Bulk>
struct weft_senders : weft_pool {
  static double sum_of(std::size_t count, const auto& piece) {
    std::vector<double> sums(count);
    auto work = execution::schedule(tasks::workers->get_scheduler()) |
                Bulk::over(count, [&](std::size_t i) { sums[i] = piece(i); }) |
                execution::then([&sums] { return std::accumulate(sums.begin(), sums.end(), 0.0); });
    const auto answer = execution::sync_wait(std::move(work));
    return answer ? std::get<0>(*answer) : 0;  // nobody stops it
  }
  static void in_bulk(std::size_t count, const auto& body) {
    execution::sync_wait(execution::schedule(tasks::workers->get_scheduler()) |
                         Bulk::over(count, [&body](std::size_t i) { body(i); }));
  }
  static void spread(std::size_t count, const auto& body) { in_bulk(count, body); }
};

}  // namespace weft::lab::approaches
