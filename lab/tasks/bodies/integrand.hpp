// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function of problem integrate, its trapezoids, and the test whether one is fine enough.
#pragma once

#include <cmath>

namespace weft::lab::tasks {

inline double integrand(double x) { return (x * x + 1.0) * x; }

/// An interval with the integrand's values at its ends.
struct trapezoid {
  double from;
  double to;
  double from_value;
  double to_value;

  static trapezoid below(double end) {
    return {.from = 0, .to = end, .from_value = integrand(0), .to_value = integrand(end)};
  }

  [[nodiscard]] double area() const { return (from_value + to_value) / 2 * (to - from); }
};

struct halves {
  trapezoid left;
  trapezoid right;

  explicit halves(const trapezoid& whole) : left(whole), right(whole) {
    const double middle = whole.from + (whole.to - whole.from) / 2;
    left.to = right.from = middle;
    left.to_value = right.from_value = integrand(middle);
  }

  [[nodiscard]] double area() const { return left.area() + right.area(); }

  /// Relative to the interval's own area, so that the depth depends only on the shape.
  [[nodiscard]] bool are_close_to(const trapezoid& whole) const {
    constexpr double tolerance = 1e-10;
    return std::abs(area() - whole.area()) <= tolerance * whole.area();
  }
};

}  // namespace weft::lab::tasks
