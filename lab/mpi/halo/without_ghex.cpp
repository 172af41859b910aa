// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands for GHEX where CMake was told of none.
#include <span>

#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {

std::span<const entry> by_ghex() { return {}; }

}  // namespace weft::lab::halo_bench
