// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first position that a scan finds, for every algorithm that stops at its first hit.
#pragma once

#include <cstddef>
#include <utility>

#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft::algorithms::detail {

/// Returns the first hit among `n` positions, or `n`. Borders of chunks are multiples of
/// `multiple_of`. Each type of `scan` has its own cost estimate. See `find_chunk`.
template <wanted_hit wanted = wanted_hit::first, class How, class Scan>
[[gnu::always_inline]] inline std::size_t search_in(const How& how,
                                                    std::size_t n,
                                                    std::size_t bytes_per_element,
                                                    Scan scan,
                                                    std::size_t multiple_of = 1) {
  static constinit cost_record costs;
  const loop_shape shape{
      .n = n, .bytes_per_element = bytes_per_element, .multiple_of = multiple_of};
  return find_chunk<wanted>(how, shape, costs, scan);
}

}  // namespace weft::algorithms::detail
