// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of the task runtime, for registries that hold those of other modules too.
#pragma once

#include <cstddef>

#include "weft/base/options.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace weft::tasks::detail {

/// The most workers of a runtime on a machine with `num_cpus` hardware threads.
[[nodiscard]] int most_workers(int num_cpus) noexcept;

// Of `runtime_options::stack_size_bytes`. The smallest leaves half of it beside the head room.
inline constexpr std::size_t smallest_stack_bytes = std::size_t{64} << 10;
inline constexpr std::size_t largest_stack_bytes = std::size_t{1} << 30;

void register_runtime_options(base::option_registry& registry);

/// Returns what `registry` was given, and the defaults of `runtime_options` for the rest.
[[nodiscard]] runtime_options read_runtime_options(const base::option_registry& registry);

/// What the environment says; a message tells which variables are ignored.
[[nodiscard]] runtime_options usable_options();

/// The one of the default runtime, also before that is started.
[[nodiscard]] deadlock_action default_deadlock_action();

}  // namespace weft::tasks::detail
