// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All parallel algorithms.
#pragma once

#include "weft/algorithms/for_each.hpp"    // IWYU pragma: export
#include "weft/algorithms/for_loop.hpp"    // IWYU pragma: export
#include "weft/algorithms/parameters.hpp"  // IWYU pragma: export
#include "weft/algorithms/policy.hpp"      // IWYU pragma: export
