// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The serial search, and the check of an answer.
#include "lab/inncabs/floorplan/floorplan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/inncabs/cut_search.hpp"
#include "lab/inncabs/floorplan/plan.hpp"

namespace weft::lab::inncabs::floorplan {
namespace {

class serial_search {
 public:
  explicit serial_search(const input& of)
      : of_(of), tasks_left_(of.task_limit.value_or(UINT64_MAX)) {}

  result run() {
    extend({});
    result found = make_result(of_, best_, nodes_);
    found.is_complete = !is_cut_;
    return found;
  }

 private:
  void extend(const plan& so_far) {
    for (const position_run& run : runs_of(so_far, of_.cells[so_far.num_placed])) {
      for (int i = 0; i < run.count; ++i) {
        if (tasks_left_ == 0) {
          is_cut_ = true;
          return;
        }
        --tasks_left_;
        visit(so_far, run.at(i));
      }
    }
  }

  void visit(const plan& so_far, const rectangle& where) {
    ++nodes_;
    if (so_far.area_with(where) >= bound_ || !fits(so_far, where)) {
      return;
    }
    const plan next = so_far.with(where);
    if (next.num_placed < of_.cells.size()) {
      extend(next);
      return;
    }
    bound_ = next.area();
    best_ = next;
  }

  const input& of_;
  int bound_ = worse_than_all;
  std::uint64_t tasks_left_;
  plan best_;
  std::uint64_t nodes_ = 0;
  bool is_cut_ = false;
};

bool touches(const input& of, const std::vector<rectangle>& cells, std::size_t i) {
  const std::optional<std::size_t>& left = of.cells[i].left;
  const std::optional<std::size_t>& above = of.cells[i].above;
  const rectangle& where = cells[i];
  const bool is_beside =
      !left || (where.x == cells[*left].right() && share_rows(where, cells[*left]));
  const bool is_below =
      !above || (where.y == cells[*above].bottom() && share_columns(where, cells[*above]));
  const bool is_first = !left && !above;
  return is_first ? where.x == 0 && where.y == 0 : is_beside && is_below;
}

/// Returns the error of cell `i`, given the cells before it; empty if there is none.
std::string fault_of(const input& of, const std::vector<rectangle>& cells, std::size_t i) {
  if (std::ranges::count(of.cells[i].shapes, cells[i].size) == 0) {
    return "has none of its shapes";
  }
  if (!is_on_board(cells[i])) {
    return "reaches beyond the board";
  }
  for (std::size_t other = 0; other < i; ++other) {
    if (overlap(cells[i], cells[other])) {
      return "overlaps cell " + std::to_string(other);
    }
  }
  return touches(of, cells, i) ? std::string() : "does not touch the cells it has to";
}

int area_of(const std::vector<rectangle>& cells) {
  int width = 0;
  int height = 0;
  for (const rectangle& each : cells) {
    width = std::max(width, each.right());
    height = std::max(height, each.bottom());
  }
  return width * height;
}

std::string mismatch_of_plan(const input& of, const result& found) {
  if (found.cells.size() != of.cells.size()) {
    return "the plan has " + std::to_string(found.cells.size()) + " cells, expected " +
           std::to_string(of.cells.size());
  }
  for (std::size_t i = 0; i < found.cells.size(); ++i) {
    const std::string fault = fault_of(of, found.cells, i);
    if (!fault.empty()) {
      return "cell " + std::to_string(i) + ' ' + fault;
    }
  }
  const int area = area_of(found.cells);
  if (area != found.area) {
    return "the plan covers " + std::to_string(area) + ", claimed are " +
           std::to_string(found.area);
  }
  return {};
}

std::string mismatch_of_cut_search(const input& of, const result& found) {
  std::string wrong = mismatch_of_cut(of.task_limit, found.nodes);
  return wrong.empty() && !found.cells.empty() ? mismatch_of_plan(of, found) : wrong;
}

}  // namespace

result make_result(const input& of, const plan& best, std::uint64_t nodes) {
  result made{.area = worse_than_all, .nodes = nodes};
  if (best.num_placed == of.cells.size()) {
    made.area = best.area();
    made.cells.assign(best.cells().begin(), best.cells().end());
  }
  return made;
}

result run_serial(const input& of) { return serial_search(of).run(); }

std::string mismatch(const input& of, const result& found) {
  if (!found.is_complete) {
    return mismatch_of_cut_search(of, found);
  }
  std::string wrong = mismatch_of_plan(of, found);
  if (!wrong.empty()) {
    return wrong;
  }
  if (found.area != of.optimum) {
    return "the area is " + std::to_string(found.area) + ", expected " + std::to_string(of.optimum);
  }
  if (found.nodes < of.cells.size()) {
    return "there are " + std::to_string(found.nodes) +
           " nodes, expected at least one for each of " + std::to_string(of.cells.size()) +
           " cells";
  }
  return {};
}

}  // namespace weft::lab::inncabs::floorplan
