// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces GHEX if CMake was given no GHEX.
#include <span>

#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {

std::span<const entry> by_ghex() { return {}; }

}  // namespace weft::lab::halo_bench
