// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Judges a branch-and-bound search that left branches out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weft::lab::inncabs {

/// Returns what is wrong with the number of nodes visited, or an empty text: only a limit of tasks
/// lets a search leave branches out, and each node is a task.
inline std::string mismatch_of_cut(std::optional<std::uint64_t> task_limit, std::uint64_t nodes) {
  if (!task_limit) {
    return "the search left branches out, without a task limit";
  }
  if (nodes > *task_limit) {
    return "there are " + std::to_string(nodes) + " nodes, allowed are " +
           std::to_string(*task_limit) + " tasks";
  }
  return {};
}

}  // namespace weft::lab::inncabs
