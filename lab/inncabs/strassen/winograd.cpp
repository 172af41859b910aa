// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of blocks, and the products of these sums.
#include "lab/inncabs/strassen/winograd.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace weft::lab::inncabs::strassen {
namespace {

using readable = block<const double>;
using writable = block<double>;

// Sums of one element of each quarter, under their names in the source.
constexpr auto s1 = [](double, double, double a2, double a3) { return a2 + a3; };
constexpr auto s2 = [](double a0, double, double a2, double a3) { return a2 + a3 - a0; };
constexpr auto s3 = [](double a0, double, double a2, double) { return a0 - a2; };
constexpr auto s4 = [](double a0, double a1, double a2, double a3) { return a1 - (a2 + a3 - a0); };
constexpr auto t1 = [](double b0, double b1, double, double) { return b1 - b0; };
constexpr auto t2 = [](double b0, double b1, double, double b3) { return b3 - (b1 - b0); };
constexpr auto t3 = [](double, double b1, double, double b3) { return b3 - b1; };
constexpr auto t4 = [](double b0, double b1, double b2, double b3) { return b3 - (b1 - b0) - b2; };

/// Adds quarters of `half` rows; quarters that are not in `sum` are not read.
template <auto sum>
void add_quarters(const readable& matrix, const writable& to, std::size_t half) {
  for (std::size_t i = 0; i < half; ++i) {
    const double* q0 = matrix.quarter(0, half).row(i);
    const double* q1 = matrix.quarter(1, half).row(i);
    const double* q2 = matrix.quarter(2, half).row(i);
    const double* q3 = matrix.quarter(3, half).row(i);
    double* __restrict sums = to.row(i);
    for (std::size_t j = 0; j < half; ++j) {
      sums[j] = sum(q0[j], q1[j], q2[j], q3[j]);
    }
  }
}

/// A quarter of a matrix, or a sum of its quarters.
struct factor {
  std::size_t quarter = 0;
  void (*add)(const readable& matrix, const writable& to, std::size_t half) = nullptr;
};

/// One of the seven products: its factors, and its destination: a temporary block or a quarter of
/// the whole product.
struct recipe {
  factor a;
  factor b;
  bool is_temporary;
  std::size_t place;
};

enum temporaries : std::uint8_t { p1, p5, p6 };

constexpr std::array<recipe, winograd_step::num_products> recipes{{
    {.a = {.quarter = 0}, .b = {.quarter = 0}, .is_temporary = true, .place = p1},
    {.a = {.quarter = 1}, .b = {.quarter = 2}, .is_temporary = false, .place = 0},
    {.a = {.add = add_quarters<s4>}, .b = {.quarter = 3}, .is_temporary = false, .place = 1},
    {.a = {.quarter = 3}, .b = {.add = add_quarters<t4>}, .is_temporary = false, .place = 2},
    {.a = {.add = add_quarters<s1>},
     .b = {.add = add_quarters<t1>},
     .is_temporary = true,
     .place = p5},
    {.a = {.add = add_quarters<s2>},
     .b = {.add = add_quarters<t2>},
     .is_temporary = true,
     .place = p6},
    {.a = {.add = add_quarters<s3>},
     .b = {.add = add_quarters<t3>},
     .is_temporary = false,
     .place = 3},
}};

/// Returns the factor. A sum is written to the block at `next`, which then advances.
readable made(const factor& from, const readable& matrix, double*& next, std::size_t half) {
  if (from.add == nullptr) {
    return matrix.quarter(from.quarter, half);
  }
  const writable to{.first = next, .stride = half};
  next += half * half;
  from.add(matrix, to, half);
  return {.first = to.first, .stride = half};
}

// Adds four rows of b to `to`, each times its factor.
void add_four_rows(double* __restrict to, const double* factors, const readable& b, std::size_t n) {
  const double* b0 = b.row(0);
  const double* b1 = b.row(1);
  const double* b2 = b.row(2);
  const double* b3 = b.row(3);
  // As one loop of 72 bytes, it is 1.5 times slower if it begins at the start of a line of code
  // (Zen 5).
#pragma GCC unroll 4
  for (std::size_t j = 0; j < n; ++j) {
    to[j] += (factors[0] * b0[j] + factors[1] * b1[j]) + (factors[2] * b2[j] + factors[3] * b3[j]);
  }
}

}  // namespace

void multiply_directly(const product& what) {
  for (std::size_t i = 0; i < what.n; ++i) {
    std::fill_n(what.c.row(i), what.n, 0.0);
    for (std::size_t k = 0; k < what.n; k += 4) {
      const readable rows{.first = what.b.row(k), .stride = what.b.stride};
      add_four_rows(what.c.row(i), what.a.row(i) + k, rows, what.n);
    }
  }
}

winograd_step::winograd_step(const product& whole)
    : whole_(whole),
      half_(whole.n / 2),
      memory_(std::make_unique_for_overwrite<double[]>(num_blocks * half_ * half_)) {}

block<double> winograd_step::temporary(std::size_t i) const {
  return {.first = memory_.get() + i * half_ * half_, .stride = half_};
}

block<double> winograd_step::target(std::size_t i) const {
  const recipe& how = recipes[i];
  return how.is_temporary ? temporary(how.place) : whole_.c.quarter(how.place, half_);
}

void winograd_step::combine() const {
  for (std::size_t i = 0; i < half_; ++i) {
    double* c0 = whole_.c.quarter(0, half_).row(i);
    double* c1 = whole_.c.quarter(1, half_).row(i);
    double* c2 = whole_.c.quarter(2, half_).row(i);
    double* c3 = whole_.c.quarter(3, half_).row(i);
    const double* first = temporary(p1).row(i);
    const double* fifth = temporary(p5).row(i);
    const double* sixth = temporary(p6).row(i);
    for (std::size_t j = 0; j < half_; ++j) {
      const double both = first[j] + sixth[j];
      const double three = both + c3[j];
      c0[j] += first[j];
      c1[j] += both + fifth[j];
      c2[j] = three - c2[j];
      c3[j] = three + fifth[j];
    }
  }
}

winograd_part::winograd_part(const winograd_step& of, std::size_t which) {
  const recipe& how = recipes[which];
  const product& all = of.whole();
  const std::size_t half = all.n / 2;
  const std::size_t num_sums = (how.a.add != nullptr ? 1U : 0U) + (how.b.add != nullptr ? 1U : 0U);
  if (num_sums > 0) {
    memory_ = std::make_unique_for_overwrite<double[]>(num_sums * half * half);
  }
  double* next = memory_.get();
  whole_.a = made(how.a, all.a, next, half);
  whole_.b = made(how.b, all.b, next, half);
  whole_.c = of.target(which);
  whole_.n = half;
}

}  // namespace weft::lab::inncabs::strassen
