// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem alignment by futures: one for each pair.
#pragma once

#include <cstddef>

#include "lab/inncabs/alignment/alignment.hpp"
#include "lab/inncabs/joined_futures.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::alignment {

template <futures_runtime Runtime>
result run_futures(const input& in, typename Runtime::launch how) {
  const auto& sequences = in.sequences;
  joined_futures<typename Runtime::template future<pair_alignment>> tasks(num_pairs(in));
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    for (std::size_t j = i + 1; j < sequences.size(); ++j) {
      tasks.add(Runtime::async(how, [&first = sequences[i], &second = sequences[j]] {
        return align_pair(first, second);
      }));
    }
  }
  result made;
  made.reserve(num_pairs(in));
  for (auto& each : tasks) {
    made.push_back(each.get());
  }
  return made;
}

}  // namespace weft::lab::inncabs::alignment
