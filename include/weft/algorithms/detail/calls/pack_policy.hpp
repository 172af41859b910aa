// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policies with which simd.hpp passes packs of elements.
#pragma once

#include "weft/algorithms/policy.hpp"

namespace weft::algorithms::detail {

/// `simd` or `par_simd`. An algorithm that asks whether its callable takes an element must not ask
/// with these: the callable may be made for packs only.
template <class P>
concept pack_policy = execution_policy<P> && resolved_policy<P>::is_simd;

}  // namespace weft::algorithms::detail
