// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mean of four neighbours, point by point.
#include "lab/inncabs/pyramids/grids.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "lab/inncabs/pyramids/pieces.hpp"

namespace weft::lab::inncabs::pyramids {
namespace {

constexpr std::size_t page = 4096 / sizeof(double);

/// The distance from one grid to the other: an odd number of half pages. Otherwise corresponding
/// points might have the same offset in their pages, as malloc's blocks may have. A load would then
/// wait for the store to the other grid, since the two addresses look alike.
constexpr std::size_t distance(std::size_t num_points) {
  return (num_points + page - 1) / page * page + page / 2;
}

// The order of the additions is the same for every point and every piece, so values are equal to
// the bit.
void set_to_means(double* __restrict to, const double* from, std::size_t width, points columns) {
  const double* above = from - width;
  const double* below = from + width;
  for (std::size_t j = columns.first; j < columns.last; ++j) {
    to[j] = 0.25 * ((above[j] + below[j]) + (from[j - 1] + from[j + 1]));
  }
}

}  // namespace

grids::grids(const std::vector<double>& start, std::size_t num_cells)
    : num_cells_(num_cells),
      points_(distance(start.size()) + start.size()),
      at_{points_.data(), points_.data() + distance(start.size())} {
  for (double* grid : at_) {
    std::ranges::copy(start, grid);
  }
}

std::vector<double> grids::after(std::size_t step) const {
  const std::size_t width = num_cells_ + 1;
  const double* grid = at_[step % 2];
  return {grid, grid + width * width};
}

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
  const double* from = at_[(step - 1) % 2];
  double* to = at_[step % 2];
  for (std::size_t i = rows.first; i < rows.last; ++i) {
    set_to_means(to + i * width, from + i * width, width, columns);
  }
}

// Returns the two parts of a section across the ends: before the end and after it; either may be
// empty.
std::array<points, 2> grids::inner_points(points covered) const {
  const std::size_t after = std::max(covered.first, num_cells_ + 1) - num_cells_;
  return {points{covered.first, std::min(covered.last, num_cells_)},
          points{after, std::max(covered.last, num_cells_) - num_cells_}};
}

}  // namespace weft::lab::inncabs::pyramids
