// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem intersim with groups of tasks: one group for each chain of pairs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lab/inncabs/intersim/guarded_net.hpp"
#include "lab/inncabs/intersim/intersim.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::intersim {

/// Reduces a pair, then the last pair that this created, and so on; the other pairs become tasks.
///
/// The last pair continues the same operation if possible. So groups are nested only as deep as
/// operations follow each other, about 2 * n, and no stack overflows if a wait runs other tasks.
template <groups_runtime Runtime>
void reduce_by_groups(guarded_net<Runtime>& cells,
                      active_pair pair,
                      std::atomic<std::uint64_t>& interactions) {
  typename Runtime::group others;
  std::uint64_t reduced = 1;
  active_pairs made = cells.reduce(pair);
  for (; made.size() > 0; ++reduced) {
    const std::size_t last = made.size() - 1;
    for (std::size_t i = 0; i < last; ++i) {
      others.run([&cells, next = made[i], &interactions] {
        reduce_by_groups<Runtime>(cells, next, interactions);
      });
    }
    made = cells.reduce(made[last]);
  }
  // relaxed: a thread that reads the sum has waited for the group.
  interactions.fetch_add(reduced, std::memory_order_relaxed);
  others.wait();
}

template <groups_runtime Runtime>
result run_groups(const input& from) {
  guarded_net<Runtime> cells(from.factor);
  std::atomic<std::uint64_t> interactions = 0;
  reduce_by_groups<Runtime>(cells, cells.first_pair(), interactions);
  return {.product = cells.value(), .num_interactions = interactions.load()};
}

}  // namespace weft::lab::inncabs::intersim
