// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All of weft but halo exchange, which needs MPI (weft/halo.hpp), and HPX's names (weft/compat).
#pragma once

#include "weft/algorithms.hpp"           // IWYU pragma: export
#include "weft/algorithms/ranges.hpp"    // IWYU pragma: export
#include "weft/algorithms/senders.hpp"   // IWYU pragma: export
#include "weft/counters.hpp"             // IWYU pragma: export
#include "weft/execution.hpp"            // IWYU pragma: export
#include "weft/execution/executors.hpp"  // IWYU pragma: export
#include "weft/policies.hpp"             // IWYU pragma: export
#include "weft/tasks.hpp"                // IWYU pragma: export
#include "weft/version.hpp"              // IWYU pragma: export
