// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem sparselu by futures: one for each block that is solved or updated.
#pragma once

#include <cstddef>

#include "lab/inncabs/joined_futures.hpp"
#include "lab/inncabs/runtime_concepts.hpp"
#include "lab/inncabs/sparselu/blocks.hpp"
#include "lab/inncabs/sparselu/sparselu.hpp"

namespace weft::lab::inncabs::sparselu {

template <futures_runtime Runtime>
void solve_by_futures(result& lu, std::size_t k, const panel& in, typename Runtime::launch how) {
  joined_futures<typename Runtime::template future<void>> tasks(in.solved_columns.size() +
                                                                in.rows.size());
  for (const std::size_t j : in.solved_columns) {
    tasks.add(Runtime::async(how, [&lu, k, j] { solve_in_row(lu, k, j); }));
  }
  for (const std::size_t i : in.rows) {
    tasks.add(Runtime::async(how, [&lu, k, i] { solve_in_column(lu, i, k); }));
  }
  tasks.join();
}

template <futures_runtime Runtime>
void update_by_futures(result& lu, std::size_t k, const panel& in, typename Runtime::launch how) {
  joined_futures<typename Runtime::template future<void>> tasks(in.rows.size() * in.columns.size());
  for (const std::size_t i : in.rows) {
    for (const std::size_t j : in.columns) {
      tasks.add(Runtime::async(how, [&lu, k, i, j] { update(lu, k, i, j); }));
    }
  }
  tasks.join();
}

template <futures_runtime Runtime>
result run_futures(const input& in, typename Runtime::launch how) {
  result lu = in.matrix;
  for (std::size_t k = 0; k < lu.num_blocks(); ++k) {
    factorise_diagonal(lu, k);
    const panel next = panel_of(lu, k, in.graph);
    solve_by_futures<Runtime>(lu, k, next, how);
    update_by_futures<Runtime>(lu, k, next, how);
  }
  return lu;
}

}  // namespace weft::lab::inncabs::sparselu
