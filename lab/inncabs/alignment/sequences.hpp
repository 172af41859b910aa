// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random proteins, with the lengths and the composition of real ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/inncabs/alignment/scoring.hpp"

namespace weft::lab::inncabs::alignment {

/// Returns lengths at even steps along a curve from the shortest to the longest. A larger `skew`
/// makes fewer of them long.
struct length_distribution {
  std::size_t num_sequences;  // at least 2
  std::size_t shortest;
  std::size_t longest;
  double skew;
};

/// In random order. The lengths, and therefore the work, are the same for every seed.
/// Source:  frequencies of amino acids: Robinson, Robinson, "Distribution of Glutamine and
///          Asparagine Residues and Their Near Neighbors in Peptides and Proteins", PNAS 88, 1991.
std::vector<sequence> random_sequences(const length_distribution& lengths, std::uint64_t seed);

}  // namespace weft::lab::inncabs::alignment
