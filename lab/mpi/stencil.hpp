// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of cells with a ghost layer, its sweep of seven points, and its faces in buffers.
#pragma once

#include <cstddef>
#include <vector>

#include "lab/mpi/decomposition.hpp"

namespace weft::lab::mpi {

/// `size` inner cells and one layer around them; the last dimension is contiguous.
class block {
 public:
  explicit block(const box& size);

  [[nodiscard]] const box& size() const noexcept { return size_; }
  /// The first cell of the ghost layer.
  [[nodiscard]] double* data() noexcept { return cells_.data(); }
  [[nodiscard]] double& at(long long x, long long y, long long z) { return cells_[index(x, y, z)]; }
  [[nodiscard]] double at(long long x, long long y, long long z) const {
    return cells_[index(x, y, z)];
  }
  /// Returns the number of inner cells of a face. Units: cells.
  [[nodiscard]] std::size_t face_cells(std::size_t axis) const;
  /// Copies the inner layer at one end of `axis` into `out`.
  void pack(std::size_t axis, bool is_upper, std::vector<double>& out) const;
  /// Copies `in` into the ghost layer at one end of `axis`.
  void unpack(std::size_t axis, bool is_upper, const std::vector<double>& in);

  /// Sets every cell in [from, to) to the mean of its six neighbours in `old`; returns the largest
  /// change.
  ///
  /// Units: cells; inner ones go from 1 to `size()[d] + 1`.
  double sweep(const block& old, const box& from, const box& to);
  /// All inner cells.
  double sweep(const block& old) {
    return sweep(old, {1, 1, 1}, {size_[0] + 1, size_[1] + 1, size_[2] + 1});
  }

 private:
  [[nodiscard]] std::size_t index(long long x, long long y, long long z) const {
    return static_cast<std::size_t>((x * (size_[1] + 2) + y) * (size_[2] + 2) + z);
  }
  template <class Copy>
  void for_face(std::size_t axis, long long layer, Copy copy) const;

  box size_;
  std::vector<double> cells_;
};

}  // namespace weft::lab::mpi
