// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory libstdc++'s parallel algorithms need on oneTBB, whatever the policy.
#pragma once

#include "lab/stl/backend.hpp"

namespace weft::lab::stl {

/// Sort peaks at 2.4 times its input beside it, and its merges leave a third of the input behind
/// per call (github.com/uxlfoundation/oneTBB/issues/1533): about ten calls of a large sort are
/// counted.
inline constexpr scratch_factors libstdcxx_scratch{.sort = 6.0, .copy_if = 0.5, .others = 1.0};

}  // namespace weft::lab::stl
