// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distributes cells, and arranges ranks in grids.
#include "lab/mpi/decomposition.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <mpi.h>

#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

long long share(long long cells, long long num_parts, long long index) {
  return cells / num_parts + (index < cells % num_parts ? 1 : 0);
}

long long share_begin(long long cells, long long num_parts, long long index) {
  return index * (cells / num_parts) + std::min(index, cells % num_parts);
}

box coordinates(int rank, const box& grid) {
  return {rank / (grid[1] * grid[2]), rank / grid[2] % grid[1], rank % grid[2]};
}

int rank_at(const box& at, const box& grid) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (at[axis] < 0 || at[axis] >= grid[axis]) {
      return -1;
    }
  }
  return static_cast<int>((at[0] * grid[1] + at[1]) * grid[2] + at[2]);
}

box grid_of(const std::vector<long long>& given, int num_ranks) {
  if (given.empty()) {
    std::array<int, 3> dims{};
    check(MPI_Dims_create(num_ranks, 3, dims.data()), "MPI_Dims_create");
    return {dims[0], dims[1], dims[2]};
  }
  if (given.size() != 3 || given[0] * given[1] * given[2] != num_ranks) {
    std::string text;
    for (const long long each : given) {
      text += (text.empty() ? "" : " x ") + std::to_string(each);
    }
    throw bad_request("topology " + text + " does not hold the " + std::to_string(num_ranks) +
                      " ranks there are; give three numbers whose product that is");
  }
  return {given[0], given[1], given[2]};
}

std::string text_of(const box& what) {
  return std::to_string(what[0]) + "," + std::to_string(what[1]) + "," + std::to_string(what[2]);
}

}  // namespace weft::lab::mpi
