// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes of cells, tags and datatypes for the hand-written exchanges.
#include "lab/mpi/halo/neighbours.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <vector>

#include <mpi.h>

#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {
namespace {

int index_of(const std::array<int, 3>& towards) {
  return ((towards[0] + 1) * 3 + towards[1] + 1) * 3 + towards[2] + 1;
}

}  // namespace

box box_towards(const problem& what, const std::array<int, 3>& towards, bool is_halo) {
  box made;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::ptrdiff_t width = what.width;
    const std::ptrdiff_t size = what.size[d];
    made.count[d] = towards[d] == 0 ? size : width;
    if (towards[d] == 0) {
      made.first[d] = width;
    } else if (towards[d] < 0) {
      made.first[d] = is_halo ? 0 : width;
    } else {
      made.first[d] = is_halo ? width + size : size;
    }
  }
  return made;
}

std::vector<neighbour> neighbours_of(const problem& what, const place& where) {
  std::vector<neighbour> found;
  for (int index = 0; index < 27; ++index) {
    const std::array<int, 3> towards{index / 9 - 1, index / 3 % 3 - 1, index % 3 - 1};
    std::array<int, 3> coords = where.coords;
    bool exists = index != 13;
    for (std::size_t d = 0; d < 3; ++d) {
      const int at = coords[d] + towards[d];
      exists = exists && (what.is_periodic || (at >= 0 && at < where.dims[d]));
      coords[d] = (at + where.dims[d]) % where.dims[d];
    }
    if (exists) {
      neighbour made{.towards = towards,
                     .sent = box_towards(what, towards, false),
                     .received = box_towards(what, towards, true)};
      MPI_Cart_rank(where.comm, coords.data(), &made.rank);
      made.send_tag = index_of(towards);
      made.receive_tag = index_of({-towards[0], -towards[1], -towards[2]});
      found.push_back(made);
    }
  }
  return found;
}

MPI_Datatype type_of(const problem& what, const box& cells, const fields& all) {
  std::array<int, 3> length{};
  std::array<int, 3> count{};
  std::array<int, 3> first{};
  for (std::size_t d = 0; d < 3; ++d) {
    length[d] = static_cast<int>(what.length(d));
    count[d] = static_cast<int>(cells.count[d]);
    first[d] = static_cast<int>(cells.first[d]);
  }
  MPI_Datatype one = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(
      3, length.data(), count.data(), first.data(), MPI_ORDER_C, MPI_DOUBLE, &one);
  std::vector<MPI_Aint> at(all.data.size());
  for (std::size_t f = 0; f < at.size(); ++f) {
    MPI_Get_address(all.data[f], &at[f]);
  }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed_block(static_cast<int>(at.size()), 1, at.data(), one, &made);
  MPI_Type_commit(&made);
  MPI_Type_free(&one);
  return made;
}

traffic traffic_of(const problem& what, const place& where) {
  traffic found;
  std::set<int> peers;
  for (const neighbour& each : neighbours_of(what, where)) {
    const std::size_t bytes =
        each.sent.size() * static_cast<std::size_t>(what.num_fields) * sizeof(double);
    const auto across = std::ranges::count_if(each.towards, [](int d) { return d != 0; });
    std::size_t& kind = across == 1   ? found.face_bytes
                        : across == 2 ? found.edge_bytes
                                      : found.corner_bytes;
    kind = std::max(kind, bytes);
    found.sent_bytes += bytes;
    ++found.num_directions;
    if (each.rank != where.rank) {
      peers.insert(each.rank);
    }
  }
  found.num_peers = peers.size();
  return found;
}

}  // namespace weft::lab::halo_bench
