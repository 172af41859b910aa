// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One search by many tasks: their shared state, and the decisions of each task.
#pragma once

#include <cstdint>
#include <optional>

#include "lab/inncabs/branch_and_bound.hpp"
#include "lab/inncabs/floorplan/floorplan.hpp"

namespace weft::lab::inncabs::floorplan {

struct search {
  explicit search(const input& which) : of(which), best(worse_than_all), budget(which.task_limit) {}

  const input& of;
  incumbent<plan> best;
  task_budget budget;

  /// Returns `so_far` with the next cell at `where`, if the cell fits and the plan is worth
  /// extending. Offers a complete plan as a solution instead.
  [[nodiscard]] std::optional<plan> tried(const plan& so_far, const rectangle& where) {
    if (so_far.area_with(where) >= best.bound() || !fits(so_far, where)) {
      return std::nullopt;
    }
    const plan next = so_far.with(where);
    if (next.num_placed < of.cells.size()) {
      return next;
    }
    best.offer(next.area(), next);
    return std::nullopt;
  }

  /// Returns the positions to try for the cell after those of `so_far`.
  [[nodiscard]] position_runs next_of(const plan& so_far) const {
    return runs_of(so_far, of.cells[so_far.num_placed]);
  }

  /// Calls `make_task(position)` for every position that the budget allows.
  void for_each(const position_runs& runs, const auto& make_task) {
    for (const position_run& run : runs) {
      for (int i = 0; i < run.count && budget.take(); ++i) {
        make_task(run.at(i));
      }
    }
  }

  /// Call when all tasks are done.
  [[nodiscard]] result found(std::uint64_t nodes) const {
    result made = make_result(of, best.solution(), nodes);
    made.is_complete = !budget.is_exceeded();
    return made;
  }
};

}  // namespace weft::lab::inncabs::floorplan
