// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who is where around a rank, and which cells go there: what programs without a library work out.
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

/// The box of all cells that are sent towards a direction, or the halo that lies there.
[[nodiscard]] box box_towards(const problem& what, const std::array<int, 3>& towards, bool is_halo);

/// All directions that have a neighbour, in a fixed order.
[[nodiscard]] std::vector<neighbour> neighbours_of(const problem& what, const place& where);

/// One datatype of a box in all fields, to be used with MPI_BOTTOM. The caller frees it.
[[nodiscard]] MPI_Datatype type_of(const problem& what, const box& cells, const fields& all);

/// What one message of a direction across 1, 2 or 3 dimensions holds, the largest of each kind;
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
