// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions right of a cell, below a cell, and in the corner of two cells.
#include "lab/inncabs/floorplan/plan.hpp"

#include <algorithm>
#include <cstddef>

namespace weft::lab::inncabs::floorplan {
namespace {

position_run in_corner(const rectangle& left, const rectangle& above, shape size) {
  const rectangle where = rectangle_at(left.right(), above.bottom(), size);
  const bool touches_both = share_rows(where, left) && share_columns(where, above);
  return {.size = size, .x = where.x, .y = where.y, .count = touches_both ? 1 : 0};
}

position_run beside(const rectangle& left, shape size) {
  const int first = std::max(0, left.y - size.height + 1);
  return {.size = size, .x = left.right(), .y = first, .step_y = 1, .count = left.bottom() - first};
}

position_run below(const rectangle& above, shape size) {
  const int first = std::max(0, above.x - size.width + 1);
  return {
      .size = size, .x = first, .y = above.bottom(), .step_x = 1, .count = above.right() - first};
}

}  // namespace

position_run positions_of(const plan& so_far, const cell& next, shape size) {
  if (next.left && next.above) {
    return in_corner(so_far.placed[*next.left], so_far.placed[*next.above], size);
  }
  if (next.left) {
    return beside(so_far.placed[*next.left], size);
  }
  if (next.above) {
    return below(so_far.placed[*next.above], size);
  }
  return {.size = size, .count = 1};
}

position_runs runs_of(const plan& so_far, const cell& next) {
  position_runs runs{};
  for (std::size_t i = 0; i < next.shapes.size(); ++i) {
    runs[i] = positions_of(so_far, next, next.shapes[i]);
  }
  return runs;
}

std::size_t num_positions(const position_runs& runs) {
  std::size_t sum = 0;
  for (const position_run& each : runs) {
    sum += static_cast<std::size_t>(each.count);
  }
  return sum;
}

}  // namespace weft::lab::inncabs::floorplan
