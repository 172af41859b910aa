// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of the task runtime, for registries that also hold other modules' options.
#pragma once

#include <cstddef>

#include "weft/base/options.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace weft::tasks::detail {

/// Returns the largest number of workers on a machine with `num_cpus` hardware threads.
[[nodiscard]] int most_workers(int num_cpus) noexcept;

// Limits of `runtime_options::stack_size_bytes`. The smallest is twice the head room.
inline constexpr std::size_t smallest_stack_bytes = std::size_t{64} << 10;
inline constexpr std::size_t largest_stack_bytes = std::size_t{1} << 30;

void register_runtime_options(base::option_registry& registry);

/// Returns the options that `registry` was given, and the defaults of `runtime_options` for all
/// others.
[[nodiscard]] runtime_options read_runtime_options(const base::option_registry& registry);

/// Returns the options that the environment sets. A message names the variables that are ignored.
[[nodiscard]] runtime_options usable_options();

/// Returns the deadlock action of the default runtime, even before that runtime is started.
[[nodiscard]] deadlock_action default_deadlock_action();

}  // namespace weft::tasks::detail
