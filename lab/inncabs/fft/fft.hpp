// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem fft: the discrete Fourier transform of any number of values by mixed radices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/inncabs/description.hpp"
#include "lab/inncabs/fft/complex_number.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/unwritten_vector.hpp"

namespace weft::lab::inncabs::fft {

/// Values and their transform, computed by another method.
/// Shape: both have the same number of elements, at least one.
struct input {
  std::vector<complex_number> values = {};
  std::vector<complex_number> expected = {};
};

/// Element k is the sum of values[j] * exp(-2 pi i j k / n).
using result = unwritten_vector<complex_number>;

inline constexpr description about{
    .name = "fft",
    .computes = "a one-dimensional complex Fourier transform with radices 32, 16, 8, 4, 2 and odd",
    .structure = task_structure::recursive_balanced,
    .tasks =
        "loops (roots of unity, reordering, butterflies) divided in halves down to 128, 16 and "
        "1 iterations, two tasks each; the smaller transforms follow one another",
    .synchronisation = "joins",
    .grain = granularity::very_fine,
    .input = "n = 10,000 and 2,000,000 seeded random values; n = 1,000,000 values 1 + i (paper)",
    .check =
        "equal, to 10^-10 of the largest element, to Bluestein's transform with radix 2 "
        "(random values) or to n (1 + i), 0, 0, ...",
    .source =
        "Cooley and Tukey, Math. Comp. 19, 1965; Frigo, Leiserson and Randall, \"The "
        "Implementation of the Cilk-5 Multithreaded Language\", PLDI 1998"};

/// The study's constant for the class paper; otherwise random values that depend on `seed`.
input make_input(input_class which, std::uint64_t seed);

/// `size` times 1 + i.
input make_constant_input(std::size_t size);

/// `size` values, each part at random between -1 and 1.
input make_random_input(std::size_t size, std::uint64_t seed);

/// Transforms without a runtime: the oracle.
result run_serial(const input& from);

/// Returns the first wrong element, or an empty text.
std::string mismatch(const input& from, const result& found);

/// Returns how many tasks the form with futures makes.
std::optional<std::uint64_t> num_tasks(const input& from);

/// Returns the memory of the values, their expected transform, roots of unity, result and spare
/// memory. If the convolution that computes the expected transform needs more, returns that.
/// Units:   bytes.
std::size_t memory_bytes(input_class which);

/// Empty: no input was scaled down.
std::string scaled(input_class which);

}  // namespace weft::lab::inncabs::fft
