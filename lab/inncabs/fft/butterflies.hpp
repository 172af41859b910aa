// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms of sizes known at compile time: 1, 2, 4, 8, 16 and 32 values.
#pragma once

#include <array>
#include <cstddef>

#include "lab/inncabs/fft/complex_number.hpp"

namespace weft::lab::inncabs::fft {

/// exp(-2 pi i index / 32).
/// Shape: `index` < 16.
constexpr complex_number root_of_32(std::size_t index) {
  // cos(pi / 16 * i)
  constexpr std::array<double, 9> cosine{1.0,
                                         0.98078528040323044912618223613424,
                                         0.92387953251128675612818318939679,
                                         0.83146961230254523707878837761791,
                                         0.70710678118654752440084436210485,
                                         0.55557023301960222474283081394853,
                                         0.38268343236508977172845998403040,
                                         0.19509032201612826784828486847702,
                                         0.0};
  return index <= 8 ? complex_number{cosine[index], -cosine[8 - index]}
                    : complex_number{-cosine[16 - index], -cosine[index - 8]};
}

/// Replaces the values by their transform.
template <std::size_t size>
void transform_small(std::array<complex_number, size>& values) {
  static_assert(size <= 32 && 32 % size == 0);
  if constexpr (size > 1) {
    constexpr std::size_t half = size / 2;
    std::array<complex_number, half> even;
    std::array<complex_number, half> odd;
    for (std::size_t i = 0; i < half; ++i) {
      even[i] = values[2 * i];
      odd[i] = values[2 * i + 1];
    }
    transform_small(even);
    transform_small(odd);
    for (std::size_t i = 0; i < half; ++i) {
      const complex_number turned = root_of_32(i * (32 / size)) * odd[i];
      values[i] = even[i] + turned;
      values[i + half] = even[i] - turned;
    }
  }
}

}  // namespace weft::lab::inncabs::fft
