// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem qap with one group of tasks per partial assignment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

#include "lab/inncabs/qap/qap.hpp"
#include "lab/inncabs/qap/search.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::qap {

template <groups_runtime Runtime>
std::uint64_t extend(search& shared, const partial& from);

/// The work of a task; returns how many nodes it and its descendants visited.
template <groups_runtime Runtime>
std::uint64_t visit(search& shared, const partial& from, std::size_t where) {
  if (from.uses(where)) {
    return 0;
  }
  const std::optional<partial> next = shared.tried(from, where);
  return next ? 1 + extend<Runtime>(shared, *next) : 1;
}

template <groups_runtime Runtime>
std::uint64_t extend(search& shared, const partial& from) {
  std::array<std::uint64_t, max_size> nodes{};
  typename Runtime::group branches;
  for (std::size_t where = 0; where < shared.of.size && shared.budget.take(); ++where) {
    branches.run(
        [&shared, &from, &nodes, where] { nodes[where] = visit<Runtime>(shared, from, where); });
  }
  branches.wait();
  return std::accumulate(nodes.begin(), nodes.end(), std::uint64_t{0});
}

template <groups_runtime Runtime>
result run_groups(const input& of) {
  search shared(of);
  const partial nobody;
  return shared.found(extend<Runtime>(shared, nobody));
}

}  // namespace weft::lab::inncabs::qap
