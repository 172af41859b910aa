// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of blocks, and which products they make.
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

readable reading(const writable& from) { return {.first = from.first, .stride = from.stride}; }

void add(const readable& x, const readable& y, const writable& to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    std::transform(x.row(i), x.row(i) + n, y.row(i), to.row(i), [](double left, double right) {
      return left + right;
    });
  }
}

void subtract(const readable& x, const readable& y, const writable& to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    std::transform(x.row(i), x.row(i) + n, y.row(i), to.row(i), [](double left, double right) {
      return left - right;
    });
  }
}

// Where the temporary blocks lie: the names are those of the source.
enum temporaries : std::uint8_t { s1, s2, s3, s4, t1, t2, t3, t4, p1, p5, p6 };

// to += four rows of b, each times its factor.
void add_four_rows(double* __restrict to, const double* factors, const readable& b, std::size_t n) {
  const double* b0 = b.row(0);
  const double* b1 = b.row(1);
  const double* b2 = b.row(2);
  const double* b3 = b.row(3);
  // As one turn of 72 bytes it is 1.5 times slower where it begins a line of code (Zen 5).
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
      memory_(std::make_unique_for_overwrite<double[]>(num_blocks * half_ * half_)),
      parts_(products()) {
  add_factors();
}

block<double> winograd_step::temporary(std::size_t i) const {
  return {.first = memory_.get() + i * half_ * half_, .stride = half_};
}

void winograd_step::add_factors() const {
  const auto a = [this](std::size_t i) { return whole_.a.quarter(i, half_); };
  const auto b = [this](std::size_t i) { return whole_.b.quarter(i, half_); };
  const auto sum = [this](temporaries which) { return reading(temporary(which)); };
  add(a(2), a(3), temporary(s1), half_);
  subtract(sum(s1), a(0), temporary(s2), half_);
  subtract(a(0), a(2), temporary(s3), half_);
  subtract(a(1), sum(s2), temporary(s4), half_);
  subtract(b(1), b(0), temporary(t1), half_);
  subtract(b(3), sum(t1), temporary(t2), half_);
  subtract(b(3), b(1), temporary(t3), half_);
  subtract(sum(t2), b(2), temporary(t4), half_);
}

std::array<product, winograd_step::num_products> winograd_step::products() const {
  const auto a = [this](std::size_t i) { return whole_.a.quarter(i, half_); };
  const auto b = [this](std::size_t i) { return whole_.b.quarter(i, half_); };
  const auto c = [this](std::size_t i) { return whole_.c.quarter(i, half_); };
  const auto sum = [this](temporaries which) { return reading(temporary(which)); };
  return {{{.a = a(0), .b = b(0), .c = temporary(p1), .n = half_},
           {.a = a(1), .b = b(2), .c = c(0), .n = half_},
           {.a = sum(s4), .b = b(3), .c = c(1), .n = half_},
           {.a = a(3), .b = sum(t4), .c = c(2), .n = half_},
           {.a = sum(s1), .b = sum(t1), .c = temporary(p5), .n = half_},
           {.a = sum(s2), .b = sum(t2), .c = temporary(p6), .n = half_},
           {.a = sum(s3), .b = sum(t3), .c = c(3), .n = half_}}};
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

}  // namespace weft::lab::inncabs::strassen
