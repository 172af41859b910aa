// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem nqueens with one future per safe placement.
#pragma once

#include <cstddef>

#include "lab/inncabs/joined_futures.hpp"
#include "lab/inncabs/nqueens/nqueens.hpp"
#include "lab/inncabs/runtime_concepts.hpp"
#include "lab/tasks/bodies/queens_board.hpp"

namespace weft::lab::inncabs::nqueens {

template <futures_runtime Runtime>
result place_futures(const tasks::queens_board& board,
                     std::size_t n,
                     typename Runtime::launch how) {
  if (board.row == n) {
    return counted(board);
  }
  const tasks::free_columns free = tasks::free_columns_of(board, n);
  joined_futures<typename Runtime::template future<result>> placements(free.count);
  for (std::size_t i = 0; i < free.count; ++i) {
    placements.add(Runtime::async(how, [next = board.with(free.columns[i]), n, how] {
      return place_futures<Runtime>(next, n, how);
    }));
  }
  result sum;
  for (auto& each : placements) {
    sum += each.get();
  }
  return sum;
}

template <futures_runtime Runtime>
result run_futures(const input& of, typename Runtime::launch how) {
  return place_futures<Runtime>({}, of.n, how);
}

}  // namespace weft::lab::inncabs::nqueens
