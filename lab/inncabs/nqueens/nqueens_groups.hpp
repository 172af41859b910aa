// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem nqueens with one group per board that has a next row.
#pragma once

#include <array>
#include <cstddef>

#include "lab/inncabs/nqueens/nqueens.hpp"
#include "lab/inncabs/runtime_concepts.hpp"
#include "lab/tasks/bodies/queens_board.hpp"

namespace weft::lab::inncabs::nqueens {

template <groups_runtime Runtime>
result place_groups(const tasks::queens_board& board, std::size_t n) {
  if (board.row == n) {
    return counted(board);
  }
  const tasks::free_columns free = tasks::free_columns_of(board, n);
  std::array<result, tasks::max_queens> found;
  typename Runtime::group placements;
  for (std::size_t i = 0; i < free.count; ++i) {
    placements.run([next = board.with(free.columns[i]), n, &to = found[i]] {
      to = place_groups<Runtime>(next, n);
    });
  }
  placements.wait();
  result sum;
  for (std::size_t i = 0; i < free.count; ++i) {
    sum += found[i];
  }
  return sum;
}

template <groups_runtime Runtime>
result run_groups(const input& of) {
  return place_groups<Runtime>({}, of.n);
}

}  // namespace weft::lab::inncabs::nqueens
