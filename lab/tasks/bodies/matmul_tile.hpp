// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sequential end of problem matmul, and the quarters of a matrix.
#pragma once

#include <cstddef>

namespace weft::lab::tasks {

constexpr std::size_t tile_rows = 32;

/// A product c += a * b of square blocks inside n x n matrices of row length `stride`.
struct block_product {
  const double* a;
  const double* b;
  double* c;
  std::size_t n;
  std::size_t stride;

  /// c's quarter `quarter` (row by row) from the first (0) or second (1) half of the inner sums.
  [[nodiscard]] block_product part(std::size_t quarter, std::size_t half) const {
    const std::size_t m = n / 2;
    const std::size_t row = quarter / 2 * m;
    const std::size_t column = quarter % 2 * m;
    return {.a = a + row * stride + half * m,
            .b = b + half * m * stride + column,
            .c = c + row * stride + column,
            .n = m,
            .stride = stride};
  }

  void multiply_tile() const {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t j = 0; j < n; ++j) {
          c[i * stride + j] += a[i * stride + k] * b[k * stride + j];
        }
      }
    }
  }
};

}  // namespace weft::lab::tasks
