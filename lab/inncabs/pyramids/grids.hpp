// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two grids of a Jacobi iteration: even steps read the results of odd ones, and vice versa.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "lab/inncabs/pyramids/pieces.hpp"
#include "lab/inncabs/unwritten_vector.hpp"

namespace weft::lab::inncabs::pyramids {

/// Both grids of (num_cells + 1) x (num_cells + 1) points, row by row; the outer points are fixed.
///
/// Threads: any number may compute pieces at the same time, if all pieces these depend on are done.
class grids {
 public:
  /// Both grids start as `start`, so that both have the fixed points.
  grids(const std::vector<double>& start, std::size_t num_cells);
  grids(const grids&) = delete;
  grids& operator=(const grids&) = delete;

  /// Computes all steps of a piece. Points beyond the end of an axis are those at its beginning;
  /// the fixed points between them do not change.
  void compute(const piece& what);

  /// Computes one step, numbered from 1, of these points, all of them inner ones.
  void compute_step(std::size_t step, points rows, points columns);

  [[nodiscard]] std::vector<double> after(std::size_t step) const;

 private:
  [[nodiscard]] std::array<points, 2> inner_points(points covered) const;

  std::size_t num_cells_;
  unwritten_vector<double> points_;
  std::array<double*, 2> at_;  // in `points_`: after even steps, after odd steps
};

}  // namespace weft::lab::inncabs::pyramids
