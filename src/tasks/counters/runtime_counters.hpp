// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers the counters of all runtimes of this process.
#pragma once

namespace weft::tasks::detail {

/// Registers them if that has not been done; they stay. Without a runtime they count nothing.
///
/// Threads: from any.
/// Errors:  `weft::error` if somebody registered one of their names before.
void register_runtime_counters();

}  // namespace weft::tasks::detail
