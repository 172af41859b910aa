// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem pyramids by groups of tasks: one group for each stage of a piece.
#pragma once

#include <cstddef>

#include "lab/inncabs/pyramids/grids.hpp"
#include "lab/inncabs/pyramids/pieces.hpp"
#include "lab/inncabs/pyramids/pyramids.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::pyramids {

template <groups_runtime Runtime>
void compute_by_groups(grids& on, const piece& whole, std::size_t leaf) {
  if (whole.size <= leaf) {
    on.compute(whole);
    return;
  }
  for (const stage& next : stages_of(whole)) {
    if (next.count == 1) {
      compute_by_groups<Runtime>(on, next.pieces[0], leaf);
      continue;
    }
    typename Runtime::group tasks;
    for (std::size_t i = 0; i < next.count; ++i) {
      tasks.run([&on, part = next.pieces[i], leaf] { compute_by_groups<Runtime>(on, part, leaf); });
    }
    tasks.wait();
  }
}

template <groups_runtime Runtime>
result run_groups(const input& in) {
  grids on(in.start, in.num_cells);
  for (const piece& each : whole_pieces(in.num_cells)) {
    compute_by_groups<Runtime>(on, each, in.leaf);
  }
  return on.after(in.num_steps());
}

}  // namespace weft::lab::inncabs::pyramids
