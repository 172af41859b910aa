// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sweep, row by row, and the copies of faces.
#include "lab/mpi/stencil.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "lab/mpi/decomposition.hpp"

namespace weft::lab::mpi {

namespace {

/// The six rows around one, each beginning at its first inner cell.
struct rows {
  const double* middle;
  std::array<const double*, 4> around;
};

double sweep_row(double* out, const rows& in, std::size_t num) {
  double change = 0.0;
  for (std::size_t z = 0; z < num; ++z) {
    const double sum = in.around[0][z] + in.around[1][z] + in.around[2][z] + in.around[3][z] +
                       in.middle[static_cast<std::ptrdiff_t>(z) - 1] + in.middle[z + 1];
    out[z] = sum * (1.0 / 6.0);
    change = std::max(change, std::abs(out[z] - in.middle[z]));
  }
  return change;
}

}  // namespace

block::block(const box& size)
    : size_(size),
      cells_(static_cast<std::size_t>((size[0] + 2) * (size[1] + 2) * (size[2] + 2)), 0.0) {}

std::size_t block::face_cells(std::size_t axis) const {
  return static_cast<std::size_t>(size_[0] * size_[1] * size_[2] / size_[axis]);
}

template <class Copy>
void block::for_face(std::size_t axis, long long layer, Copy copy) const {
  box from{1, 1, 1};
  box to{size_[0] + 1, size_[1] + 1, size_[2] + 1};
  from[axis] = layer;
  to[axis] = layer + 1;
  std::size_t place = 0;
  for (long long x = from[0]; x < to[0]; ++x) {
    for (long long y = from[1]; y < to[1]; ++y) {
      for (long long z = from[2]; z < to[2]; ++z) {
        copy(place++, index(x, y, z));
      }
    }
  }
}

void block::pack(std::size_t axis, bool is_upper, std::vector<double>& out) const {
  for_face(axis, is_upper ? size_[axis] : 1, [&](std::size_t place, std::size_t cell) {
    out[place] = cells_[cell];
  });
}

void block::unpack(std::size_t axis, bool is_upper, const std::vector<double>& in) {
  for_face(axis, is_upper ? size_[axis] + 1 : 0, [&](std::size_t place, std::size_t cell) {
    cells_[cell] = in[place];
  });
}

double block::sweep(const block& old, const box& from, const box& to) {
  double change = 0.0;
  const auto num = static_cast<std::size_t>(std::max(to[2] - from[2], 0LL));
  for (long long x = from[0]; x < to[0]; ++x) {
    for (long long y = from[1]; y < to[1]; ++y) {
      const auto row = [&](long long dx, long long dy) {
        return old.cells_.data() + index(x + dx, y + dy, from[2]);
      };
      const rows in{row(0, 0), {row(-1, 0), row(1, 0), row(0, -1), row(0, 1)}};
      change = std::max(change, sweep_row(cells_.data() + index(x, y, from[2]), in, num));
    }
  }
  return change;
}

}  // namespace weft::lab::mpi
