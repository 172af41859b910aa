// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs, check and serial form of problem fft.
#include "lab/inncabs/fft/fft.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "lab/inncabs/fft/bluestein.hpp"
#include "lab/inncabs/fft/complex_number.hpp"
#include "lab/inncabs/fft/passes.hpp"
#include "lab/inncabs/fft/radices.hpp"
#include "lab/inncabs/fft/transform.hpp"
#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::fft {
namespace {

/// Runs the iterations sequentially.
struct loop_undivided {
  template <class Body>
  void operator()(iterations range, std::size_t /*alone*/, const Body& body) const {
    body(range);
  }
};

std::size_t size_of(input_class which) {
  switch (which) {
    case input_class::tiny:
      return 10'000;
    case input_class::small:
      return 2'000'000;
    case input_class::paper:
      break;
  }
  return 1'000'000;
}

double magnitude(complex_number value) { return std::hypot(value.re, value.im); }

double largest(const std::vector<complex_number>& values) {
  double found = 0;
  for (const complex_number& each : values) {
    found = std::max(found, magnitude(each));
  }
  return found;
}

std::ostream& operator<<(std::ostream& to, complex_number value) {
  return to << '(' << value.re << ", " << value.im << ')';
}

/// The number of tasks of a loop that is halved down to `alone` iterations.
std::uint64_t tasks_of_loop(std::size_t size, std::size_t alone) {
  return size <= alone ? 0
                       : 2 + tasks_of_loop(size / 2, alone) + tasks_of_loop(size - size / 2, alone);
}

std::uint64_t tasks_of_transform(std::size_t size) {
  if (is_small(size)) {
    return 0;
  }
  const std::size_t radix = radix_of(size);
  const std::size_t part = size / radix;
  const std::uint64_t combining = tasks_of_loop(part, butterflies_alone_of(radix));
  if (part == 1) {
    return combining;
  }
  return tasks_of_loop(part, reordered_alone) + radix * tasks_of_transform(part) + combining;
}

}  // namespace

input make_input(input_class which, std::uint64_t seed) {
  return which == input_class::paper ? make_constant_input(size_of(which))
                                     : make_random_input(size_of(which), seed);
}

input make_constant_input(std::size_t size) {
  input made{.values = std::vector<complex_number>(size, {1, 1}),
             .expected = std::vector<complex_number>(size, {0, 0})};
  made.expected.front() = {static_cast<double>(size), static_cast<double>(size)};
  return made;
}

input make_random_input(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  // Not std::uniform_real_distribution: its numbers differ between standard libraries.
  const auto between_minus_1_and_1 = [&generator] {
    return static_cast<double>(generator() >> 11U) * 0x1p-52 - 1;
  };
  input made;
  made.values.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double re = between_minus_1_and_1();
    made.values.push_back({re, between_minus_1_and_1()});
  }
  made.expected = transform_by_convolution(made.values);
  return made;
}

result run_serial(const input& from) { return transform(from, loop_undivided()).run(); }

std::string mismatch(const input& from, const result& found) {
  std::ostringstream text;
  if (found.size() != from.expected.size()) {
    text << found.size() << " elements, expected " << from.expected.size();
    return text.str();
  }
  const double tolerance = 1e-10 * largest(from.expected);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool is_right = magnitude(found[i] - from.expected[i]) <= tolerance;
    if (!is_right) {
      text << "element " << i << " is " << found[i] << ", expected " << from.expected[i] << " +- "
           << tolerance;
      return text.str();
    }
  }
  return "";
}

std::optional<std::uint64_t> num_tasks(const input& from) {
  const std::size_t size = from.values.size();
  return tasks_of_loop(size / 2 + 1, roots_alone) + tasks_of_transform(size);
}

std::size_t memory_bytes(input_class which) {
  const std::size_t size = size_of(which);
  const std::size_t to_transform = 5 * size;
  const std::size_t padded = which == input_class::paper ? 0 : std::bit_ceil(2 * size);
  const std::size_t to_convolve = 2 * size + 2 * padded + padded / 2;
  return std::max(to_transform, to_convolve) * sizeof(complex_number);
}

std::string scaled(input_class /*which*/) { return ""; }

}  // namespace weft::lab::inncabs::fft
