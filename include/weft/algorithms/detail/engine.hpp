// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that algorithms are built from.
#pragma once

#include "weft/algorithms/detail/chunks.hpp"          // IWYU pragma: export
#include "weft/algorithms/detail/cost_record.hpp"     // IWYU pragma: export
#include "weft/algorithms/detail/find_chunk.hpp"      // IWYU pragma: export
#include "weft/algorithms/detail/launch.hpp"          // IWYU pragma: export
#include "weft/algorithms/detail/ordered_claims.hpp"  // IWYU pragma: export
#include "weft/algorithms/detail/prologue.hpp"        // IWYU pragma: export
#include "weft/algorithms/detail/reduce_chunks.hpp"   // IWYU pragma: export
#include "weft/algorithms/detail/shares.hpp"          // IWYU pragma: export
#include "weft/algorithms/policy.hpp"                 // IWYU pragma: export
