// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples the contestants of a cell in turn, and writes one record for each.
#pragma once

#include <cstddef>

#include "lab/distributed/cells.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::calls {

/// Units: seconds.
struct sampling {
  std::size_t num_samples = 11;
  double sample_s = 0.02;
};

/// Checks and samples all contestants of a cell; rank 0 writes a JSON line for each. A contestant
/// of weft has a runtime of its own in each sample, so that MPI is alone in the others.
/// Returns false if any answer was wrong.
/// Threads: collective.
[[nodiscard]] bool measure(const mpi::world& ranks,
                           const sampling& how,
                           const cell& what,
                           bool is_functional);

}  // namespace weft::lab::calls
