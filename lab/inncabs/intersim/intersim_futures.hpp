// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem intersim with futures: one for each active pair.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "lab/inncabs/intersim/guarded_net.hpp"
#include "lab/inncabs/intersim/intersim.hpp"
#include "lab/inncabs/runtime_concepts.hpp"
#include "lab/inncabs/waited_future.hpp"

namespace weft::lab::inncabs::intersim {

/// Returns how many interactions followed from the pair, its own included.
///
/// Tasks wait for those they make, so waits are nested as deep as pairs follow from each other: up
/// to n * n times where the sums run ahead of what takes their results, some 3 * n times where
/// tasks run in the order in which they are made.
template <futures_runtime Runtime>
std::uint64_t reduce_by_futures(guarded_net<Runtime>& cells,
                                active_pair pair,
                                typename Runtime::launch how) {
  using task = waited_future<typename Runtime::template future<std::uint64_t>>;
  const active_pairs made = cells.reduce(pair);
  std::array<std::optional<task>, 3> tasks;
  for (std::size_t i = 0; i < made.size(); ++i) {
    tasks[i].emplace(Runtime::async(how, [&cells, next = made[i], how] {
      return reduce_by_futures<Runtime>(cells, next, how);
    }));
  }
  std::uint64_t interactions = 1;
  for (std::size_t i = 0; i < made.size(); ++i) {
    interactions += tasks[i]->get();
  }
  return interactions;
}

template <futures_runtime Runtime>
result run_futures(const input& from, typename Runtime::launch how) {
  guarded_net<Runtime> cells(from.factor);
  const auto interactions = reduce_by_futures<Runtime>(cells, cells.first_pair(), how);
  return {.product = cells.value(), .num_interactions = interactions};
}

}  // namespace weft::lab::inncabs::intersim
