// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The neighbours of a rank and the cells to send to each, as programs without a library compute
// them.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <mpi.h>

#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {

struct box {
  cells_3d first{};
  cells_3d count{};

  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(count[0] * count[1] * count[2]);
  }
};

struct neighbour {
  std::array<int, 3> towards{};
  int rank = -1;
  int send_tag = 0;
  int receive_tag = 0;
  box sent;
  box received;
};

/// Returns the box of all cells that are sent towards a direction, or of the halo on that side.
[[nodiscard]] box box_towards(const problem& what, const std::array<int, 3>& towards, bool is_halo);

/// Returns all directions that have a neighbour, in a fixed order.
[[nodiscard]] std::vector<neighbour> neighbours_of(const problem& what, const place& where);

/// Returns one datatype of a box in all fields, for use with MPI_BOTTOM. The caller frees it.
[[nodiscard]] MPI_Datatype type_of(const problem& what, const box& cells, const fields& all);

/// The bytes of one message of a direction across 1, 2 or 3 dimensions, the largest of each kind;
/// and of all messages together.
/// Units:   bytes.
struct traffic {
  std::size_t face_bytes = 0;
  std::size_t edge_bytes = 0;
  std::size_t corner_bytes = 0;
  std::size_t sent_bytes = 0;
  std::size_t num_directions = 0;
  std::size_t num_peers = 0;  // ranks other than this one
};
[[nodiscard]] traffic traffic_of(const problem& what, const place& where);

}  // namespace weft::lab::halo_bench
