// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mean of four neighbours, point by point.
#include "lab/inncabs/pyramids/grids.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "lab/inncabs/pyramids/pieces.hpp"

namespace weft::lab::inncabs::pyramids {
namespace {

// The order of the additions is the same wherever a point is computed: so is its value, to the bit.
void set_to_means(double* __restrict to, const double* from, std::size_t width, points columns) {
  const double* above = from - width;
  const double* below = from + width;
  for (std::size_t j = columns.first; j < columns.last; ++j) {
    to[j] = 0.25 * ((above[j] + below[j]) + (from[j - 1] + from[j + 1]));
  }
}

}  // namespace

void grids::compute(const piece& what) {
  for (std::size_t step = 1; step <= what.size / 2; ++step) {
    const auto columns = inner_points(covered(what.columns, what.size, step));
    for (const points& rows : inner_points(covered(what.rows, what.size, step))) {
      compute_step(what.steps_before + step, rows, columns[0]);
      compute_step(what.steps_before + step, rows, columns[1]);
    }
  }
}

void grids::compute_step(std::size_t step, points rows, points columns) {
  const std::size_t width = num_cells_ + 1;
  const double* from = at_[(step - 1) % 2].data();
  double* to = at_[step % 2].data();
  for (std::size_t i = rows.first; i < rows.last; ++i) {
    set_to_means(to + i * width, from + i * width, width, columns);
  }
}

// Of a section across the ends, the part before them and the part after; either may be empty.
std::array<points, 2> grids::inner_points(points covered) const {
  const std::size_t after = std::max(covered.first, num_cells_ + 1) - num_cells_;
  return {points{covered.first, std::min(covered.last, num_cells_)},
          points{after, std::max(covered.last, num_cells_) - num_cells_}};
}

}  // namespace weft::lab::inncabs::pyramids
