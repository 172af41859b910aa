// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms as senders: `algorithm(policy(as_sender), ...)`, and `sender | algorithm(policy)`.
#pragma once

#include "weft/algorithms/as_sender.hpp"          // IWYU pragma: export
#include "weft/algorithms/senders/changing.hpp"   // IWYU pragma: export
#include "weft/algorithms/senders/memory.hpp"     // IWYU pragma: export
#include "weft/algorithms/senders/numeric.hpp"    // IWYU pragma: export
#include "weft/algorithms/senders/searching.hpp"  // IWYU pragma: export
#include "weft/algorithms/senders/sorting.hpp"    // IWYU pragma: export
