// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that algorithms are built from.
#pragma once

#include "weft/algorithms/detail/calls/launch.hpp"            // IWYU pragma: export
#include "weft/algorithms/detail/loops/chunks.hpp"            // IWYU pragma: export
#include "weft/algorithms/detail/loops/find_chunk.hpp"        // IWYU pragma: export
#include "weft/algorithms/detail/reducing/reduce_chunks.hpp"  // IWYU pragma: export
#include "weft/algorithms/detail/sharing/cost_record.hpp"     // IWYU pragma: export
#include "weft/algorithms/detail/sharing/ordered_claims.hpp"  // IWYU pragma: export
#include "weft/algorithms/detail/sharing/prologue.hpp"        // IWYU pragma: export
#include "weft/algorithms/detail/sharing/shares.hpp"          // IWYU pragma: export
#include "weft/algorithms/policy.hpp"                         // IWYU pragma: export
