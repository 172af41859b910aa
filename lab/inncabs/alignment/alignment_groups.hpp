// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem alignment by one group of tasks: one for each pair.
#pragma once

#include <cstddef>

#include "lab/inncabs/alignment/alignment.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::alignment {

template <groups_runtime Runtime>
result run_groups(const input& in) {
  const auto& sequences = in.sequences;
  result made(num_pairs(in));
  pair_alignment* to = made.data();
  typename Runtime::group tasks;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    for (std::size_t j = i + 1; j < sequences.size(); ++j) {
      tasks.run(
          [&first = sequences[i], &second = sequences[j], to] { *to = align_pair(first, second); });
      ++to;
    }
  }
  tasks.wait();
  return made;
}

}  // namespace weft::lab::inncabs::alignment
