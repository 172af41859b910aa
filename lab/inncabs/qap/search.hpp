// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One search by many tasks: their shared state, and the decisions of each task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "lab/inncabs/branch_and_bound.hpp"
#include "lab/inncabs/qap/qap.hpp"

namespace weft::lab::inncabs::qap {

struct search {
  explicit search(const input& which)
      : of(which), best(worse_than_all(which)), budget(which.task_limit) {}

  const input& of;
  incumbent<partial> best;
  task_budget budget;

  /// Returns `from` with the next facility in `where`, if that is worth extending. Offers a
  /// complete assignment as a solution instead.
  [[nodiscard]] std::optional<partial> tried(const partial& from, std::size_t where) {
    const partial next = with_next(of, from, where);
    if (next.cost >= best.bound()) {
      return std::nullopt;
    }
    if (next.num_placed < of.size) {
      return next;
    }
    best.offer(next.cost, next);
    return std::nullopt;
  }

  /// Call when all tasks are done.
  [[nodiscard]] result found(std::uint64_t nodes) const {
    result made = make_result(of, best.solution(), nodes);
    made.is_complete = !budget.is_exceeded();
    return made;
  }
};

}  // namespace weft::lab::inncabs::qap
