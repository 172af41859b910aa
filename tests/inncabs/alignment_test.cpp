// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem alignment: against the plain recurrence, against published scores, and its checker.
#include "lab/inncabs/alignment/alignment.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "lab/inncabs/alignment/alignment_futures.hpp"
#include "lab/inncabs/alignment/alignment_groups.hpp"
#include "lab/inncabs/alignment/path.hpp"
#include "lab/inncabs/alignment/scoring.hpp"
#include "lab/inncabs/alignment/sequences.hpp"
#include "lab/inncabs/input_class.hpp"
#include "tests/inncabs/inline_runtime.hpp"

namespace weft::lab::inncabs::alignment {
namespace alignment_test {

using testing::inline_runtime;

sequence sequence_of(std::string_view letters) {
  sequence made;
  for (const char letter : letters) {
    made.push_back(static_cast<residue>(amino_acids.find(letter)));
  }
  return made;
}

int score_of(char first, char second) {
  return gonnet250[amino_acids.find(first)][amino_acids.find(second)];
}

// Every way to end an alignment, tried by the definition: a pair, or a gap of any length.
int best_by_definition(const sequence& first, const sequence& second) {
  constexpr int never = std::numeric_limits<int>::min() / 2;
  const std::size_t width = second.size() + 1;
  std::vector<int> best((first.size() + 1) * width, never);
  best[0] = 0;
  for (std::size_t i = 0; i <= first.size(); ++i) {
    for (std::size_t j = 0; j <= second.size(); ++j) {
      int& here = best[i * width + j];
      if (i > 0 && j > 0) {
        here = best[(i - 1) * width + j - 1] + gonnet250[first[i - 1]][second[j - 1]];
      }
      for (std::size_t gap = 1; gap <= i; ++gap) {
        here = std::max(here, best[(i - gap) * width + j] - gap_cost(gap));
      }
      for (std::size_t gap = 1; gap <= j; ++gap) {
        here = std::max(here, best[i * width + j - gap] - gap_cost(gap));
      }
    }
  }
  return best.back();
}

double mean_length(const input& in) {
  const auto add = [](std::size_t sum, const sequence& each) { return sum + each.size(); };
  const std::size_t sum =
      std::accumulate(in.sequences.begin(), in.sequences.end(), std::size_t{0}, add);
  return static_cast<double>(sum) / static_cast<double>(in.sequences.size());
}

std::size_t longest(const input& in) {
  std::size_t found = 0;
  for (const sequence& each : in.sequences) {
    found = std::max(found, each.size());
  }
  return found;
}

TEST(AlignmentScores, are_symmetric_and_as_published) {
  for (std::size_t i = 0; i < num_amino_acids; ++i) {
    for (std::size_t j = 0; j < num_amino_acids; ++j) {
      EXPECT_EQ(gonnet250[i][j], gonnet250[j][i]);
    }
  }

  EXPECT_EQ(score_of('W', 'W'), 142);
  EXPECT_EQ(score_of('C', 'C'), 115);
  EXPECT_EQ(score_of('I', 'V'), 31);
  EXPECT_EQ(score_of('D', 'W'), -52);
}

TEST(AlignmentPath, charges_the_opening_of_a_gap_once) {
  path apart;
  apart.skip_in_first(2);
  apart.skip_in_second(1);
  path together;
  together.skip_in_first(1);
  together.skip_in_first(0);
  together.skip_in_first(1);

  EXPECT_EQ(apart.score(), -(100 + 2) - (100 + 1));
  EXPECT_EQ(together.score(), -(100 + 2));
  EXPECT_EQ(together.num_columns(), 2);
}

TEST(AlignPair, equal_sequences_align_without_gaps) {
  const sequence same = sequence_of("WCHKP");

  const pair_alignment found = align_pair(same, same);

  EXPECT_EQ(found.score, 142 + 115 + 60 + 32 + 76);
  EXPECT_EQ(found.num_identities, 5);
  EXPECT_EQ(found.num_columns, 5);
}

TEST(AlignPair, one_long_gap_is_found_in_the_middle) {
  const pair_alignment found = align_pair(sequence_of("WWWWCCCCCCCCHHHH"), sequence_of("WWWWHHHH"));

  EXPECT_EQ(found.score, 4 * 142 + 4 * 60 - (100 + 8));
  EXPECT_EQ(found.num_identities, 8);
  EXPECT_EQ(found.num_columns, 16);
}

TEST(AlignPair, with_nothing_is_one_gap) {
  EXPECT_EQ(align_pair({}, {}).score, 0);
  EXPECT_EQ(align_pair(sequence_of("WC"), {}).score, -(100 + 2));
  EXPECT_EQ(align_pair({}, sequence_of("WCH")).score, -(100 + 3));
}

TEST(AlignPair, scores_the_best_that_the_definition_allows) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::vector<sequence> some =
        random_sequences({.num_sequences = 6, .shortest = 1, .longest = 40, .skew = 1.5}, seed);
    for (std::size_t i = 1; i < some.size(); ++i) {
      const pair_alignment found = align_pair(some[i - 1], some[i]);
      const int expected = best_by_definition(some[i - 1], some[i]);

      EXPECT_EQ(found.best_score, expected) << "seed " << seed << ", pair " << i;
      EXPECT_EQ(found.score, expected) << "seed " << seed << ", pair " << i;
    }
  }
}

TEST(AlignmentInput, has_the_lengths_it_states) {
  const input small = make_input(input_class::small, 1);
  const input paper = make_input(input_class::paper, 1);

  EXPECT_NEAR(mean_length(small), 659, 1);
  EXPECT_EQ(longest(small), 1841U);
  EXPECT_NEAR(mean_length(paper), 648, 1);
  EXPECT_EQ(longest(paper), 2069U);
  EXPECT_EQ(num_tasks(small), 190U);
  EXPECT_EQ(num_tasks(paper), 4950U);
}

TEST(AlignmentInput, is_a_function_of_the_seed) {
  const input once = make_input(input_class::tiny, 1);

  EXPECT_EQ(once.sequences, make_input(input_class::tiny, 1).sequences);
  EXPECT_NE(once.sequences, make_input(input_class::tiny, 2).sequences);
}

TEST(Alignment, bodies_find_what_the_oracle_finds) {
  const input in = make_input(input_class::tiny, 42);
  const result expected = run_serial(in);

  EXPECT_EQ(run_futures<inline_runtime>(in, inline_runtime::launch::at_once), expected);
  EXPECT_EQ(run_groups<inline_runtime>(in), expected);
  EXPECT_EQ(mismatch(in, expected), "");
}

TEST(Alignment, every_planted_error_is_found) {
  const input in = make_input(input_class::tiny, 42);
  const result right = run_serial(in);
  result wrong_score = right;
  wrong_score[3].score -= 1;
  result wrong_identities = right;
  wrong_identities.back().num_identities += 1;
  result both_wrong = right;
  both_wrong[0].score += 1;
  both_wrong[0].best_score += 1;
  result short_of_one = right;
  short_of_one.pop_back();

  EXPECT_EQ(mismatch(in, wrong_score).find("pair 3 is not aligned best"), 0U);
  EXPECT_EQ(mismatch(in, wrong_identities).find("pair 27 has"), 0U);
  EXPECT_EQ(mismatch(in, both_wrong).find("pair 0 has"), 0U);
  EXPECT_EQ(mismatch(in, short_of_one), "27 pairs, expected 28");
}

}  // namespace alignment_test
}  // namespace weft::lab::inncabs::alignment
