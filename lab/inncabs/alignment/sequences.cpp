// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lengths from a power law, residues from a table of frequencies.
#include "lab/inncabs/alignment/sequences.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "lab/inncabs/alignment/scoring.hpp"
#include "lab/stl/inputs.hpp"

namespace weft::lab::inncabs::alignment {
namespace {

// Per 100,000 residues, in the order of `amino_acids`.
constexpr std::array<std::uint32_t, num_amino_acids> frequencies{
    7805, 1925, 5364, 6295, 3856, 7377, 2199, 5142, 5744, 9019,
    2243, 4487, 5203, 4264, 5129, 7120, 5841, 6441, 1330, 3216};
constexpr std::uint32_t total = std::accumulate(frequencies.begin(), frequencies.end(), 0U);
static_assert(total == 100'000);

std::size_t length_at(const length_distribution& of, std::size_t i) {
  const double place = static_cast<double>(i) / static_cast<double>(of.num_sequences - 1);
  const auto span = static_cast<double>(of.longest - of.shortest);
  return of.shortest + static_cast<std::size_t>(std::lround(span * std::pow(place, of.skew)));
}

residue random_residue(stl::random_bits& random) {
  std::uint64_t left = random.below(total);
  residue which = 0;
  while (left >= frequencies[which]) {
    left -= frequencies[which];
    ++which;
  }
  return which;
}

}  // namespace

std::vector<sequence> random_sequences(const length_distribution& lengths, std::uint64_t seed) {
  std::vector<sequence> made(lengths.num_sequences);
  stl::random_bits random(seed);
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i].resize(length_at(lengths, i));
    for (residue& each : made[i]) {
      each = random_residue(random);
    }
  }
  stl::shuffle(std::span(made), random);
  return made;
}

}  // namespace weft::lab::inncabs::alignment
