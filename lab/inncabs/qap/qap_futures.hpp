// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem qap with one future per facility and location.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "lab/inncabs/joined_futures.hpp"
#include "lab/inncabs/qap/qap.hpp"
#include "lab/inncabs/qap/search.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::qap {

template <futures_runtime Runtime>
std::uint64_t extend(search& shared, const partial& from, typename Runtime::launch how);

/// The work of a task; returns how many nodes it and its descendants visited.
template <futures_runtime Runtime>
std::uint64_t visit(search& shared,
                    const partial& from,
                    std::size_t where,
                    typename Runtime::launch how) {
  if (from.uses(where)) {
    return 0;
  }
  const std::optional<partial> next = shared.tried(from, where);
  return next ? 1 + extend<Runtime>(shared, *next, how) : 1;
}

template <futures_runtime Runtime>
std::uint64_t extend(search& shared, const partial& from, typename Runtime::launch how) {
  joined_futures<typename Runtime::template future<std::uint64_t>> branches(shared.of.size);
  for (std::size_t where = 0; where < shared.of.size && shared.budget.take(); ++where) {
    branches.add(Runtime::async(
        how, [&shared, &from, where, how] { return visit<Runtime>(shared, from, where, how); }));
  }
  std::uint64_t nodes = 0;
  for (auto& branch : branches) {
    nodes += branch.get();
  }
  return nodes;
}

template <futures_runtime Runtime>
result run_futures(const input& of, typename Runtime::launch how) {
  search shared(of);
  const partial nobody;
  return shared.found(extend<Runtime>(shared, nobody, how));
}

}  // namespace weft::lab::inncabs::qap
