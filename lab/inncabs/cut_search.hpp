// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks a branch-and-bound search that skipped branches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weft::lab::inncabs {

/// Returns the error in the number of visited nodes, or an empty text. Each node is a task, so a
/// search may skip branches only because of a task limit.
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
