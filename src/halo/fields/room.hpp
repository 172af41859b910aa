// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a node has enough memory for the requests of all its ranks together.
#pragma once

#include <cstddef>

#include "weft/halo/detail/grid.hpp"

#include "halo/plan/plan.hpp"

namespace weft::halo::detail {

/// The memory that one rank needs, in bytes.
struct wanted_bytes {
  std::size_t shared = 0;  // that the ranks of the node read
  std::size_t own = 0;
};

/// Returns why the ranks of this node cannot have the memory: their requests together, and what is
/// available. MPI does not tell: if memory is short, one rank fails alone, or all fail on first
/// use.
/// Threads: collective over the node.
[[nodiscard]] refusal no_room(const grid& processes, const wanted_bytes& wanted);

/// Whether `times` times `bytes` of each rank fit into the remaining memory that ranks can share.
/// Threads: collective over the node.
[[nodiscard]] bool has_shared_room(const grid& processes, std::size_t bytes, int times);

}  // namespace weft::halo::detail
