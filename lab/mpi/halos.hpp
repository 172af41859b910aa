// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the ghost layers of a block are filled from its neighbours: by hand-written MPI or by
// weft::halo.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include <mpi.h>

#include "lab/mpi/decomposition.hpp"
#include "lab/mpi/stencil.hpp"

namespace weft::lab::mpi {

/// Fills the six faces of blocks of one shape. Between `start` and `unpack`, do not read ghosts and
/// do not write the outermost cells.
class halos {
 public:
  halos() = default;
  halos(const halos&) = delete;
  halos& operator=(const halos&) = delete;
  virtual ~halos() = default;

  /// Packs the faces, and starts to send.
  virtual void start(block& cells) = 0;
  /// Returns when all messages have arrived.
  virtual void wait() = 0;
  virtual void unpack(block& cells) = 0;
};

/// A rank's position: its communicator and the grid of all its ranks.
struct seat {
  MPI_Comm comm;
  box grid;
  int rank;
};

/// The rank behind each side, -1 for none. Sides are 2 * axis, plus one for the upper side.
[[nodiscard]] std::array<int, 6> neighbours(const seat& at);

/// Returns the names that this program was built with: `mpi`, and `weft` if weft::halo was found.
[[nodiscard]] std::span<const std::string_view> halo_names();

/// Errors:  `bad_request` for a name that is not among `halo_names()`.
/// Threads: collective.
[[nodiscard]] std::unique_ptr<halos> make_halos(std::string_view name,
                                                const seat& at,
                                                const block& shape);

}  // namespace weft::lab::mpi
