// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers the counters of all runtimes of this process.
#pragma once

namespace weft::tasks::detail {

/// Registers the counters unless they are registered. They stay registered; without a runtime they
/// count nothing.
///
/// Threads: from any.
/// Errors:  `weft::error` if other code has registered one of the names.
void register_runtime_counters();

}  // namespace weft::tasks::detail
