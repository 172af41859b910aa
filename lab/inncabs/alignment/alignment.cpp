// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Input, oracle and check of problem alignment.
#include "lab/inncabs/alignment/alignment.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "lab/inncabs/alignment/aligner.hpp"
#include "lab/inncabs/alignment/path.hpp"
#include "lab/inncabs/alignment/scoring.hpp"
#include "lab/inncabs/alignment/sequences.hpp"
#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::alignment {
namespace {

// The skews yield the means that `about` states.
length_distribution lengths_of(input_class which) {
  switch (which) {
    case input_class::tiny:
      return {.num_sequences = 8, .shortest = 20, .longest = 120, .skew = 1.6};
    case input_class::small:
      return {.num_sequences = 20, .shortest = 100, .longest = 1841, .skew = 2.214};
    case input_class::paper:
      break;
  }
  return {.num_sequences = 100, .shortest = 100, .longest = 2069, .skew = 2.6226};
}

std::string text_of(const pair_alignment& of) {
  return "score " + std::to_string(of.score) + " of at best " + std::to_string(of.best_score) +
         " with " + std::to_string(of.num_identities) + " identities in " +
         std::to_string(of.num_columns) + " columns";
}

}  // namespace

input make_input(input_class which, std::uint64_t seed) {
  return {.sequences = random_sequences(lengths_of(which), seed)};
}

pair_alignment align_pair(const sequence& first, const sequence& second) {
  aligner work(second.size());
  const alignment_problem whole{.first = first, .second = second};
  const int best_score = work.best_score(whole);
  work.align(whole);
  const path& found = work.aligned();
  return {.best_score = best_score,
          .score = found.score(),
          .num_identities = found.num_identities(),
          .num_columns = found.num_columns()};
}

std::size_t num_pairs(const input& in) {
  const std::size_t n = in.sequences.size();
  return n * (n - 1) / 2;
}

result run_serial(const input& in) {
  result made;
  made.reserve(num_pairs(in));
  for (std::size_t i = 0; i < in.sequences.size(); ++i) {
    for (std::size_t j = i + 1; j < in.sequences.size(); ++j) {
      made.push_back(align_pair(in.sequences[i], in.sequences[j]));
    }
  }
  return made;
}

std::string mismatch(const input& in, const result& found) {
  const result expected = run_serial(in);
  if (found.size() != expected.size()) {
    return std::to_string(found.size()) + " pairs, expected " + std::to_string(expected.size());
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].score != found[i].best_score) {
      return "pair " + std::to_string(i) + " is not aligned best: " + text_of(found[i]);
    }
    if (found[i] != expected[i]) {
      return "pair " + std::to_string(i) + " has " + text_of(found[i]) + ", expected " +
             text_of(expected[i]);
    }
  }
  return {};
}

std::optional<std::uint64_t> num_tasks(const input& in) { return num_pairs(in); }

std::string scaled(input_class /*which*/) { return {}; }

}  // namespace weft::lab::inncabs::alignment
