// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of tasks that a runtime survives, and the message for a cell with more.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "lab/harness/experiment.hpp"

namespace weft::lab::tasks {

/// The most tasks that a runtime survives, and what happens with more.
struct task_limit {
  std::uint64_t max_tasks = std::numeric_limits<std::uint64_t>::max();
  std::string_view reason;  // "every task is an operating-system thread"
};

/// Returns why `runtime` does not make a call of `num_tasks` tasks.
inline skip too_many_tasks(std::string_view runtime,
                           const task_limit& limit,
                           std::uint64_t num_tasks) {
  return {.code = "unsupported",
          .message = "one call makes " + std::to_string(num_tasks) + " tasks; " +
                     std::string(runtime) + " is run with at most " +
                     std::to_string(limit.max_tasks) + ": " + std::string(limit.reason),
          .remedy = "ask for a smaller size"};
}

}  // namespace weft::lab::tasks
