// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the memory of a node has room for what its ranks want together.
#pragma once

#include <cstddef>

#include "weft/halo/detail/grid.hpp"

#include "halo/plan/plan.hpp"

namespace weft::halo::detail {

/// The memory that one rank asks for, in bytes.
struct wanted_bytes {
  std::size_t shared = 0;  // that the ranks of the node read
  std::size_t own = 0;
};

/// Why the ranks of this node cannot have it: what they want together, and what is available. MPI
/// cannot be asked: where memory does not suffice, one rank fails alone, or all on first use.
/// Threads: collective over the node.
[[nodiscard]] refusal no_room(const grid& processes, const wanted_bytes& wanted);

/// Whether `bytes` of each rank fit `times` times into what is left of memory that ranks share.
/// Threads: collective over the node.
[[nodiscard]] bool has_shared_room(const grid& processes, std::size_t bytes, int times);

}  // namespace weft::halo::detail
