// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transform that shares only the definition with problem fft.
#pragma once

#include <vector>

#include "lab/inncabs/fft/complex_number.hpp"

namespace weft::lab::inncabs::fft {

/// The discrete Fourier transform of any number of values, as a convolution by radix 2.
/// Cost:   three transforms of the next power of two from twice the size.
/// Source: Bluestein, "A linear filtering approach to the computation of discrete Fourier
///         transform", IEEE Trans. Audio and Electroacoustics 18, 1970.
std::vector<complex_number> transform_by_convolution(const std::vector<complex_number>& values);

}  // namespace weft::lab::inncabs::fft
