// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem floorplan with one future per cell, shape and position.
#pragma once

#include <cstdint>
#include <optional>

#include "lab/inncabs/floorplan/floorplan.hpp"
#include "lab/inncabs/floorplan/search.hpp"
#include "lab/inncabs/joined_futures.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::floorplan {

template <futures_runtime Runtime>
std::uint64_t extend(search& shared, const plan& so_far, typename Runtime::launch how);

/// The work of a task; returns how many nodes it and its descendants visited.
template <futures_runtime Runtime>
std::uint64_t visit(search& shared,
                    const plan& so_far,
                    const rectangle& where,
                    typename Runtime::launch how) {
  const std::optional<plan> next = shared.tried(so_far, where);
  return next ? 1 + extend<Runtime>(shared, *next, how) : 1;
}

template <futures_runtime Runtime>
std::uint64_t extend(search& shared, const plan& so_far, typename Runtime::launch how) {
  const position_runs next = shared.next_of(so_far);
  joined_futures<typename Runtime::template future<std::uint64_t>> branches(num_positions(next));
  shared.for_each(next, [&](const rectangle& where) {
    branches.add(Runtime::async(how, [&shared, &so_far, where, how] {
      return visit<Runtime>(shared, so_far, where, how);
    }));
  });
  std::uint64_t nodes = 0;
  for (auto& branch : branches) {
    nodes += branch.get();
  }
  return nodes;
}

template <futures_runtime Runtime>
result run_futures(const input& of, typename Runtime::launch how) {
  search shared(of);
  const plan empty;
  return shared.found(extend<Runtime>(shared, empty, how));
}

}  // namespace weft::lab::inncabs::floorplan
