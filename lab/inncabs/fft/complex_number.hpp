// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers whose product does not check for infinities, unlike std::complex's.
#pragma once

namespace weft::lab::inncabs::fft {

struct complex_number {
  double re;
  double im;

  bool operator==(const complex_number&) const = default;
};

constexpr complex_number operator+(complex_number a, complex_number b) {
  return {a.re + b.re, a.im + b.im};
}

constexpr complex_number operator-(complex_number a, complex_number b) {
  return {a.re - b.re, a.im - b.im};
}

constexpr complex_number operator*(complex_number a, complex_number b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

constexpr complex_number conjugate(complex_number a) { return {a.re, -a.im}; }

}  // namespace weft::lab::inncabs::fft
