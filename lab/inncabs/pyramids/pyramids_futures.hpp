// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem pyramids by futures: one for each piece in a stage of several.
#pragma once

#include <cstddef>

#include "lab/inncabs/joined_futures.hpp"
#include "lab/inncabs/pyramids/grids.hpp"
#include "lab/inncabs/pyramids/pieces.hpp"
#include "lab/inncabs/pyramids/pyramids.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::pyramids {

template <futures_runtime Runtime>
void compute_by_futures(grids& on,
                        const piece& whole,
                        std::size_t leaf,
                        typename Runtime::launch how) {
  if (whole.size <= leaf) {
    on.compute(whole);
    return;
  }
  for (const stage& next : stages_of(whole)) {
    if (next.count == 1) {
      compute_by_futures<Runtime>(on, next.pieces[0], leaf, how);
      continue;
    }
    joined_futures<typename Runtime::template future<void>> tasks(next.count);
    for (std::size_t i = 0; i < next.count; ++i) {
      tasks.add(Runtime::async(how, [&on, part = next.pieces[i], leaf, how] {
        compute_by_futures<Runtime>(on, part, leaf, how);
      }));
    }
    tasks.join();
  }
}

template <futures_runtime Runtime>
result run_futures(const input& in, typename Runtime::launch how) {
  grids on(in.start, in.num_cells);
  for (const piece& each : whole_pieces(in.num_cells)) {
    compute_by_futures<Runtime>(on, each, in.leaf, how);
  }
  return on.after(in.num_steps());
}

}  // namespace weft::lab::inncabs::pyramids
