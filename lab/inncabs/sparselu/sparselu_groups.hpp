// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem sparselu by groups of tasks: one for the solved blocks of a step, one for the updated.
#pragma once

#include <cstddef>

#include "lab/inncabs/runtime_concepts.hpp"
#include "lab/inncabs/sparselu/blocks.hpp"
#include "lab/inncabs/sparselu/sparselu.hpp"

namespace weft::lab::inncabs::sparselu {

template <groups_runtime Runtime>
void solve_by_groups(result& lu, std::size_t k, const panel& in) {
  typename Runtime::group tasks;
  for (const std::size_t j : in.solved_columns) {
    tasks.run([&lu, k, j] { solve_in_row(lu, k, j); });
  }
  for (const std::size_t i : in.rows) {
    tasks.run([&lu, k, i] { solve_in_column(lu, i, k); });
  }
  tasks.wait();
}

template <groups_runtime Runtime>
void update_by_groups(result& lu, std::size_t k, const panel& in) {
  typename Runtime::group tasks;
  for (const std::size_t i : in.rows) {
    for (const std::size_t j : in.columns) {
      tasks.run([&lu, k, i, j] { update(lu, k, i, j); });
    }
  }
  tasks.wait();
}

template <groups_runtime Runtime>
result run_groups(const input& in) {
  result lu = in.matrix;
  for (std::size_t k = 0; k < lu.num_blocks(); ++k) {
    factorise_diagonal(lu, k);
    const panel next = panel_of(lu, k, in.graph);
    solve_by_groups<Runtime>(lu, k, next);
    update_by_groups<Runtime>(lu, k, next);
  }
  return lu;
}

}  // namespace weft::lab::inncabs::sparselu
