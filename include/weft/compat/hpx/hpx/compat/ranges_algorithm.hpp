// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An algorithm for ranges that may be called with a policy or without one.
#pragma once

#include <utility>

#include "weft/algorithms/policy.hpp"

namespace hpx::ranges {

/// With a policy weft's algorithm, without one the standard's.
template <const auto& of_weft, const auto& of_standard>
struct ranges_algorithm {
  template <class First, class... Rest>
  auto operator()(First&& first, Rest&&... rest) const {
    if constexpr (weft::execution_policy<First>) {
      return of_weft(std::forward<First>(first), std::forward<Rest>(rest)...);
    } else {
      return of_standard(std::forward<First>(first), std::forward<Rest>(rest)...);
    }
  }
};

}  // namespace hpx::ranges
