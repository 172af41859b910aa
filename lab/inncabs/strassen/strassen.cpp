// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Input, serial form and exact check of problem strassen.
#include "lab/inncabs/strassen/strassen.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/inncabs/first_difference.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/strassen/winograd.hpp"
#include "lab/stl/inputs.hpp"

namespace weft::lab::inncabs::strassen {
namespace {

struct sizes {
  std::size_t n;
  std::size_t leaf;
};

sizes sizes_of(input_class which) {
  switch (which) {
    case input_class::tiny:
      return {.n = 128, .leaf = 16};
    case input_class::small:
      return {.n = 2048, .leaf = 64};
    case input_class::paper:
      break;
  }
  return {.n = 4096, .leaf = 64};
}

std::vector<double> random_matrix(std::size_t n, stl::random_bits& random) {
  std::vector<double> made(n * n);
  for (double& element : made) {
    element = static_cast<double>(random.below(9)) - 4;
  }
  return made;
}

void multiply_serially(const product& what, std::size_t leaf) {
  if (what.n <= leaf) {
    multiply_directly(what);
    return;
  }
  const winograd_step step(what);
  for (std::size_t i = 0; i < winograd_step::num_products; ++i) {
    const winograd_part part(step, i);
    multiply_serially(part.whole(), leaf);
  }
  step.combine();
}

std::vector<double> times_vector(std::span<const double> matrix, const std::vector<double>& x) {
  const std::size_t n = x.size();
  std::vector<double> made(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      made[i] += matrix[i * n + j] * x[j];
    }
  }
  return made;
}

// Not 0, so that one wrong element shows. Sums of 4096 products of these with elements below 2^17
// are exact.
std::vector<double> random_vector(std::size_t n, stl::random_bits& random) {
  std::vector<double> made(n);
  for (double& element : made) {
    element = static_cast<double>(1 + random.below(1U << 16U));
  }
  return made;
}

}  // namespace

input make_input(input_class which, std::uint64_t seed) {
  const auto [n, leaf] = sizes_of(which);
  stl::random_bits random(seed);
  input made{.n = n, .leaf = leaf, .a = {}, .b = {}};
  made.a = random_matrix(n, random);
  made.b = random_matrix(n, random);
  return made;
}

product whole_product(const input& in, result& to) {
  return {.a = {.first = in.a.data(), .stride = in.n},
          .b = {.first = in.b.data(), .stride = in.n},
          .c = {.first = to.data(), .stride = in.n},
          .n = in.n};
}

result run_serial(const input& in) {
  result made(in.n * in.n);
  multiply_serially(whole_product(in, made), in.leaf);
  return made;
}

// A row with several wrong elements passes one vector with probability 2^-16 at most.
std::string mismatch(const input& in, const result& found) {
  if (found.size() != in.n * in.n) {
    return std::to_string(found.size()) + " elements, expected " + std::to_string(in.n * in.n);
  }
  stl::random_bits random(0x5EED);
  for (int trial = 0; trial < 2; ++trial) {
    const std::vector<double> x = random_vector(in.n, random);
    const std::vector<double> expected = times_vector(in.a, times_vector(in.b, x));
    const std::vector<double> of_found = times_vector(found, x);
    const std::string difference = first_difference(std::span(of_found), std::span(expected));
    if (!difference.empty()) {
      return "times a vector: " + difference;
    }
  }
  return {};
}

std::optional<std::uint64_t> num_tasks(const input& in) {
  std::uint64_t tasks = 0;
  for (std::size_t rows = in.leaf; rows < in.n; rows *= 2) {
    tasks = winograd_step::num_products * (1 + tasks);
  }
  return tasks;
}

std::string scaled(input_class /*which*/) { return {}; }

std::size_t memory_bytes(input_class which) {
  const std::size_t n = sizes_of(which).n;
  constexpr std::size_t blocks_of_path = winograd_step::num_blocks + winograd_part::max_blocks;
  return (3 * n * n + blocks_of_path * n * n / 3) * sizeof(double);
}

}  // namespace weft::lab::inncabs::strassen
