// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of the task runtime, for registries that hold those of other modules too.
#pragma once

#include "weft/base/options.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace weft::tasks::detail {

void register_runtime_options(option_registry& registry);

/// Returns what `registry` was given, and the defaults of `runtime_options` for the rest.
[[nodiscard]] runtime_options read_runtime_options(const option_registry& registry);

}  // namespace weft::tasks::detail
