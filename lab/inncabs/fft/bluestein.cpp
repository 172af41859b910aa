// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bluestein's transform, with the textbook's iterative transform of radix 2.
#include "lab/inncabs/fft/bluestein.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "lab/inncabs/fft/complex_number.hpp"

namespace weft::lab::inncabs::fft {
namespace {

using numbers = std::vector<complex_number>;

/// exp(-pi i numerator / denominator)
complex_number half_turn(std::size_t numerator, std::size_t denominator) {
  const double angle =
      -std::numbers::pi * static_cast<double>(numerator) / static_cast<double>(denominator);
  return {std::cos(angle), std::sin(angle)};
}

void reverse_bits(numbers& values) {
  std::size_t reversed = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    std::size_t bit = values.size() / 2;
    for (; (reversed & bit) != 0; bit /= 2) {
      reversed ^= bit;
    }
    reversed |= bit;
    if (i < reversed) {
      std::swap(values[i], values[reversed]);
    }
  }
}

/// Shape: a power of two.
void transform_radix_2(numbers& values) {
  reverse_bits(values);
  numbers roots(values.size() / 2);
  for (std::size_t half = 1; half < values.size(); half *= 2) {
    for (std::size_t i = 0; i < half; ++i) {
      roots[i] = half_turn(i, half);
    }
    for (std::size_t first = 0; first < values.size(); first += 2 * half) {
      for (std::size_t i = first; i < first + half; ++i) {
        const complex_number turned = roots[i - first] * values[i + half];
        values[i + half] = values[i] - turned;
        values[i] = values[i] + turned;
      }
    }
  }
}

/// The cyclic convolution, as the inverse transform of the product of both transforms.
numbers convolve(numbers one, numbers other) {
  transform_radix_2(one);
  transform_radix_2(other);
  for (std::size_t i = 0; i < one.size(); ++i) {
    one[i] = conjugate(one[i] * other[i]);
  }
  transform_radix_2(one);
  const double share = 1 / static_cast<double>(one.size());
  for (complex_number& each : one) {
    each = {each.re * share, -each.im * share};
  }
  return one;
}

}  // namespace

// 2 j k = j^2 + k^2 - (k - j)^2 turns the sum over j into a convolution.
numbers transform_by_convolution(const numbers& values) {
  const std::size_t size = values.size();
  const std::size_t padded = std::bit_ceil(2 * size);
  numbers turned(size);
  for (std::size_t i = 0; i < size; ++i) {
    turned[i] = half_turn(i * i % (2 * size), size);
  }
  numbers signal(padded);
  numbers filter(padded);
  for (std::size_t i = 0; i < size; ++i) {
    signal[i] = values[i] * turned[i];
    filter[i] = conjugate(turned[i]);
    filter[(padded - i) % padded] = filter[i];
  }
  numbers found = convolve(std::move(signal), std::move(filter));
  found.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    found[i] = found[i] * turned[i];
  }
  return found;
}

}  // namespace weft::lab::inncabs::fft
