// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem floorplan with one group of tasks per partial plan.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "lab/inncabs/floorplan/floorplan.hpp"
#include "lab/inncabs/floorplan/search.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::floorplan {

template <groups_runtime Runtime>
std::uint64_t extend(search& shared, const plan& so_far);

/// The work of a task; returns how many nodes it and its descendants visited.
template <groups_runtime Runtime>
std::uint64_t visit(search& shared, const plan& so_far, const rectangle& where) {
  const std::optional<plan> next = shared.tried(so_far, where);
  return next ? 1 + extend<Runtime>(shared, *next) : 1;
}

template <groups_runtime Runtime>
std::uint64_t extend(search& shared, const plan& so_far) {
  // Relaxed: tasks only add; `wait` orders the final read.
  std::atomic<std::uint64_t> nodes{0};
  typename Runtime::group branches;
  shared.for_each(shared.next_of(so_far), [&](const rectangle& where) {
    branches.run([&shared, &so_far, &nodes, where] {
      nodes.fetch_add(visit<Runtime>(shared, so_far, where), std::memory_order_relaxed);
    });
  });
  branches.wait();
  return nodes.load(std::memory_order_relaxed);
}

template <groups_runtime Runtime>
result run_groups(const input& of) {
  search shared(of);
  const plan empty;
  return shared.found(extend<Runtime>(shared, empty));
}

}  // namespace weft::lab::inncabs::floorplan
