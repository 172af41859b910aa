// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One step of Strassen's multiplication in Winograd's form, and the product below the cut-off.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace weft::lab::inncabs::strassen {

/// A square part of a matrix whose rows lie `stride` elements apart.
template <class T>
struct block {
  T* first;
  std::size_t stride;

  [[nodiscard]] T* row(std::size_t i) const { return first + i * stride; }
  /// Quarters 0 and 1 lie above 2 and 3; `half` is the number of rows of a quarter.
  [[nodiscard]] block quarter(std::size_t which, std::size_t half) const {
    return {.first = first + which / 2 * half * stride + which % 2 * half, .stride = stride};
  }
};

/// c = a * b for n x n blocks; `c` overlaps neither of the others.
struct product {
  block<const double> a;
  block<const double> b;
  block<double> c;
  std::size_t n;
};

/// By the definition; `n` is a multiple of 4.
void multiply_directly(const product& what);

/// A product of blocks of 2m rows as seven products of blocks of m.
///
/// The constructor computes the eight sums that are factors, the caller the seven products, in any
/// order or at once, and `combine` the quarters of `c`, four of which hold products meanwhile.
/// Cost:    11 blocks of m x m numbers from the heap: all steps that are under way at one time on
///          one path, from an n x n product to its leaves, hold less than 11/3 n^2 numbers
///          together (492 MB for n = 4096); 15 additions of m x m blocks.
/// Errors:  throws `std::bad_alloc`.
/// Source:  Winograd's form of Strassen, "Gaussian Elimination is not Optimal", Numer. Math. 13,
///          1969, as in Higham, "Accuracy and Stability of Numerical Algorithms", section 23.1.
class winograd_step {
 public:
  static constexpr std::size_t num_products = 7;
  static constexpr std::size_t num_blocks = 11;

  explicit winograd_step(const product& whole);

  [[nodiscard]] const product& part(std::size_t i) const { return parts_[i]; }
  void combine() const;

 private:
  [[nodiscard]] block<double> temporary(std::size_t i) const;
  void add_factors() const;
  [[nodiscard]] std::array<product, num_products> products() const;

  product whole_;
  std::size_t half_;
  std::unique_ptr<double[]> memory_;
  std::array<product, num_products> parts_;
};

}  // namespace weft::lab::inncabs::strassen
