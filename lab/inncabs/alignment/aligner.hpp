// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global alignment of two sequences in linear space, by divide and conquer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/inncabs/alignment/path.hpp"
#include "lab/inncabs/alignment/scoring.hpp"

namespace weft::lab::inncabs::alignment {

/// The residues of two sequences to align, and the cost of opening a gap in the second at either
/// end. The cost is 0 where the gap continues from, or into, a neighbouring part.
struct alignment_problem {
  std::span<const residue> first;
  std::span<const residue> second;
  int open_before = gap_open;
  int open_after = gap_open;
};

/// Best scores of prefixes (or suffixes) of one half of the first sequence against every prefix (or
/// suffix) of the second: of all alignments, and of those that end with a gap in the second.
struct border_scores {
  std::vector<std::int32_t> best;
  std::vector<std::int32_t> in_gap;
};

/// Working memory and result of one alignment.
///
/// Cost:    about 2 m n steps for sequences of m and n residues, and half as many for `best_score`;
///          16 (n + 1) bytes from the heap.
/// Source:  Myers, Miller, "Optimal Alignments in Linear Space", CABIOS 4(1), 1988; the recurrence
///          is that of Gotoh, J. Mol. Biol. 162, 1982.
class aligner {
 public:
  explicit aligner(std::size_t max_second);

  /// The score of the best alignment, by one pass over all prefixes.
  [[nodiscard]] int best_score(const alignment_problem& of);

  /// Adds a best alignment to the path.
  void align(const alignment_problem& what);

  [[nodiscard]] const path& aligned() const noexcept { return path_; }

 private:
  /// Where a best alignment crosses from the first half of the first sequence to the second.
  struct crossing {
    std::size_t second;
    bool is_in_gap;
  };

  [[nodiscard]] crossing crossing_of(const alignment_problem& what, std::size_t middle);
  void align_one_residue(const alignment_problem& what);

  border_scores from_left_;
  border_scores from_right_;
  path path_;
};

}  // namespace weft::lab::inncabs::alignment
