// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts a problem to weft's types.
#pragma once

#include <cstddef>
#include <vector>

#include "weft/halo.hpp"

#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {

using c_order = halo::layout::right<3>;

inline halo::axes<3> box_of(const problem& what) {
  const auto along = [&](std::size_t dim) {
    return halo::axis::inner(what.size[dim]).halo(what.width);
  };
  return {along(0), along(1), along(2)};
}

/// Calls `with(first, second, ...)` with as many arguments as `all` has, one to three.
template <class Element, class With>
auto spread(const std::vector<Element>& all, const With& with) {
  switch (all.size()) {
    case 1:
      return with(all[0]);
    case 2:
      return with(all[0], all[1]);
    default:
      return with(all[0], all[1], all[2]);
  }
}

}  // namespace weft::lab::halo_bench
