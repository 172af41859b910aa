// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One step of Strassen's multiplication in Winograd's form, and the product below the cut-off.
#pragma once

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
/// The caller computes the seven, in any order or at once, each as a `winograd_part`; then
/// `combine` computes the quarters of `c` from them. Four of the quarters store products until
/// then.
/// Cost:    3 blocks of m x m numbers from the heap; 7 additions of such blocks, and 14 for the
///          factors of all parts.
/// Errors:  throws `std::bad_alloc`.
/// Source:  Winograd's form of Strassen, "Gaussian Elimination is not Optimal", Numer. Math. 13,
///          1969, as in Higham, "Accuracy and Stability of Numerical Algorithms", section 23.1.
class winograd_step {
 public:
  static constexpr std::size_t num_products = 7;
  static constexpr std::size_t num_blocks = 3;

  explicit winograd_step(const product& whole);

  [[nodiscard]] const product& whole() const { return whole_; }
  /// Returns the destination of product `i`.
  [[nodiscard]] block<double> target(std::size_t i) const;
  void combine() const;

 private:
  [[nodiscard]] block<double> temporary(std::size_t i) const;

  product whole_;
  std::size_t half_;
  std::unique_ptr<double[]> memory_;
};

/// One of the seven products of a step, with factors that are quarters or sums of quarters.
///
/// The task that computes the product also adds its factors. So only the factors of running
/// products take memory, and no other part waits for them. Shared sums would need only 8 additions,
/// but would have to exist from before the first product until the last.
/// Cost:    at most 2 blocks of m x m numbers from the heap. The memory of one path from an n x n
///          product to its leaves, with the steps' own blocks, is less than 5/3 n^2 numbers (224 MB
///          for n = 4096).
/// Errors:  throws `std::bad_alloc`.
class winograd_part {
 public:
  static constexpr std::size_t max_blocks = 2;

  winograd_part(const winograd_step& of, std::size_t which);

  [[nodiscard]] const product& whole() const { return whole_; }

 private:
  std::unique_ptr<double[]> memory_;
  product whole_{};
};

}  // namespace weft::lab::inncabs::strassen
