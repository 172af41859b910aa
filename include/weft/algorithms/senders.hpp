// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms as senders: `algorithm(policy(as_sender), ...)`, and `sender | algorithm(policy)`.
#pragma once

#include "weft/algorithms/as_sender.hpp"      // IWYU pragma: export
#include "weft/algorithms/senders/forms.hpp"  // IWYU pragma: export: made by CMake
#include "weft/algorithms/senders/piped.hpp"  // IWYU pragma: export
