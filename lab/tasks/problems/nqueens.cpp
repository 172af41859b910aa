// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem nqueens: all placements of n queens, one task per safe placement, no cut-off.
#include <cstdint>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace nqueens_problem {

/// Counts by bit masks of the attacked columns and diagonals, row by row.
struct board_counts {
  std::uint64_t nodes = 0;
  std::uint64_t solutions = 0;
};

struct attacked {
  std::uint32_t columns = 0;
  std::uint32_t left = 0;
  std::uint32_t right = 0;
};

void count(std::uint32_t all, const attacked& by, board_counts& found) {
  ++found.nodes;
  if (by.columns == all) {
    ++found.solutions;
    return;
  }
  for (std::uint32_t free = all & ~(by.columns | by.left | by.right); free != 0; free &= free - 1) {
    const std::uint32_t queen = free & (0U - free);
    count(all,
          {.columns = by.columns | queen,
           .left = (by.left | queen) << 1U,
           .right = (by.right | queen) >> 1U},
          found);
  }
}

board_counts counts_of(const request& what) {
  board_counts found;
  count((1U << what.size) - 1, {}, found);
  return found;
}

std::uint64_t answer(const request& what) { return counts_of(what).solutions; }
std::uint64_t num_nodes(const request& what) { return counts_of(what).nodes; }
bool takes(std::uint64_t size) { return size >= 1 && size <= 14; }

const numeric_problem nqueens(
    {.name = "nqueens", .sizes = "n from 1 to 14, such as 10", .takes_size = takes},
    {.needs = &operations::nqueens, .answer = answer, .num_tasks = num_nodes});
const registration in_table(nqueens);

}  // namespace nqueens_problem
}  // namespace weft::lab::tasks
