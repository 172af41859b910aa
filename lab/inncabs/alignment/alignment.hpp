// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem alignment: every pair of a set of proteins, aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/inncabs/alignment/scoring.hpp"
#include "lab/inncabs/description.hpp"
#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::alignment {

inline constexpr description about{
    .name = "alignment",
    .computes =
        "best global alignments of all pairs of a set of proteins, with affine gap costs, "
        "in linear space",
    .structure = task_structure::loop_like,
    .tasks = "one for each pair, from one loop",
    .synchronisation = "none but the joins",
    .grain = granularity::coarse,
    .input =
        "seeded random proteins: 8 of 20 to 120 residues (60 on average), 20 of up to 1841 "
        "(659), 100 of up to 2069 (648)",
    .check =
        "each alignment scores what one pass over all prefixes finds to be the best; all is as "
        "found serially",
    .source =
        "Myers, Miller, CABIOS 4(1), 1988; scores of Gonnet, Cohen, Benner, Science 256, "
        "1992, gaps 10 + 0.1 per residue, number of sequences and their mean and largest "
        "length as in Inncabs",
};

struct input {
  std::vector<sequence> sequences;
};

/// The result of a pair. Units: scores in tenths, the rest in columns of the alignment.
struct pair_alignment {
  int best_score = 0;
  int score = 0;  // of the alignment that was found
  int num_identities = 0;
  int num_columns = 0;
  bool operator==(const pair_alignment&) const = default;
};

/// Of the pairs (0, 1), (0, 2), ..., (1, 2), ...
using result = std::vector<pair_alignment>;

input make_input(input_class which, std::uint64_t seed);

/// The work of one task.
pair_alignment align_pair(const sequence& first, const sequence& second);

/// n (n - 1) / 2.
std::size_t num_pairs(const input& in);

result run_serial(const input& in);

std::string mismatch(const input& in, const result& found);

/// Of `paper` it is the number the study gives, 4,950.
std::optional<std::uint64_t> num_tasks(const input& in);

std::string scaled(input_class which);

}  // namespace weft::lab::inncabs::alignment
