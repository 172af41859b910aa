// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All executors, and what takes them.
#pragma once

#include "weft/execution/annotating_executor.hpp"  // IWYU pragma: export
#include "weft/execution/async.hpp"                // IWYU pragma: export
#include "weft/execution/executor.hpp"             // IWYU pragma: export
#include "weft/execution/fork_join_executor.hpp"   // IWYU pragma: export
#include "weft/execution/limiting_executor.hpp"    // IWYU pragma: export
#include "weft/execution/parallel_executor.hpp"    // IWYU pragma: export
#include "weft/execution/scheduler_executor.hpp"   // IWYU pragma: export
#include "weft/execution/sequenced_executor.hpp"   // IWYU pragma: export
