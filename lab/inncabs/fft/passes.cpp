// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The computations of the tasks of problem fft.
#include "lab/inncabs/fft/passes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "lab/inncabs/fft/butterflies.hpp"
#include "lab/inncabs/fft/complex_number.hpp"

namespace weft::lab::inncabs::fft {
namespace {

template <std::size_t size>
void transform_fixed(const complex_number* from, complex_number* to) {
  std::array<complex_number, size> values;
  std::copy_n(from, size, values.begin());
  transform_small(values);
  std::ranges::copy(values, to);
}

}  // namespace

void fill_roots(complex_number* roots, std::size_t size, iterations range) {
  const double angle = -2 * std::numbers::pi / static_cast<double>(size);
  for (std::size_t k = range.first; k < range.last; ++k) {
    const double turned = angle * static_cast<double>(k);
    const complex_number root{std::cos(turned), std::sin(turned)};
    roots[k] = root;
    if (k > 0) {
      roots[size - k] = conjugate(root);
    }
  }
}

void division::reorder(const complex_number* from, complex_number* to, iterations range) const {
  for (std::size_t i = range.first; i < range.last; ++i) {
    for (std::size_t k = 0; k < radix; ++k) {
      to[k * part + i] = from[i * radix + k];
    }
  }
}

void division::combine(const complex_number* from, complex_number* to, iterations range) const {
  switch (radix) {
    case 2:
      return combine_fixed<2>(from, to, range);
    case 4:
      return combine_fixed<4>(from, to, range);
    case 8:
      return combine_fixed<8>(from, to, range);
    case 16:
      return combine_fixed<16>(from, to, range);
    default:
      return combine_any(from, to, range);
  }
}

template <std::size_t fixed_radix>
void division::combine_fixed(const complex_number* from,
                             complex_number* to,
                             iterations range) const {
  for (std::size_t i = range.first; i < range.last; ++i) {
    std::array<complex_number, fixed_radix> values;
    for (std::size_t k = 0; k < fixed_radix; ++k) {
      values[k] = from[k * part + i] * roots[i * k * stride];
    }
    transform_small(values);
    for (std::size_t k = 0; k < fixed_radix; ++k) {
      to[k * part + i] = values[k];
    }
  }
}

void division::combine_any(const complex_number* from, complex_number* to, iterations range) const {
  const std::size_t num_roots = radix * part * stride;
  for (std::size_t i = range.first; i < range.last; ++i) {
    for (std::size_t j = i; j < radix * part; j += part) {
      complex_number sum = from[i];
      std::size_t root = 0;
      for (std::size_t k = 1; k < radix; ++k) {
        root += j * stride;
        root -= root < num_roots ? 0 : num_roots;
        sum = sum + from[k * part + i] * roots[root];
      }
      to[j] = sum;
    }
  }
}

void transform_at_once(const complex_number* from, complex_number* to, std::size_t size) {
  switch (size) {
    case 2:
      return transform_fixed<2>(from, to);
    case 4:
      return transform_fixed<4>(from, to);
    case 8:
      return transform_fixed<8>(from, to);
    case 16:
      return transform_fixed<16>(from, to);
    case 32:
      return transform_fixed<32>(from, to);
    default:
      *to = *from;
  }
}

}  // namespace weft::lab::inncabs::fft
