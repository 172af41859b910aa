// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An alignment, read column by column: its score and the similarity of the two sequences.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/inncabs/alignment/scoring.hpp"

namespace weft::lab::inncabs::alignment {

/// Takes the columns from left to right; only their sums are kept.
class path {
 public:
  /// A residue of each sequence.
  void match(residue of_first, residue of_second) {
    score_ += gonnet250[of_first][of_second];
    num_identities_ += of_first == of_second ? 1 : 0;
    ++num_columns_;
    end_ = kind::match;
  }
  /// Adds that many residues of the first sequence, opposite to a gap in the second.
  void skip_in_first(std::size_t num_residues) { extend(kind::first_alone, num_residues); }
  /// Adds that many residues of the second sequence, opposite to a gap in the first.
  void skip_in_second(std::size_t num_residues) { extend(kind::second_alone, num_residues); }

  [[nodiscard]] int score() const noexcept { return score_; }
  [[nodiscard]] int num_identities() const noexcept { return num_identities_; }
  [[nodiscard]] int num_columns() const noexcept { return num_columns_; }

 private:
  enum class kind : std::uint8_t { match, first_alone, second_alone };

  void extend(kind gap, std::size_t num_residues) {
    if (num_residues == 0) {
      return;
    }
    score_ -= gap_cost(num_residues) - (end_ == gap ? gap_open : 0);
    num_columns_ += static_cast<int>(num_residues);
    end_ = gap;
  }

  int score_ = 0;
  int num_identities_ = 0;
  int num_columns_ = 0;
  kind end_ = kind::match;
};

}  // namespace weft::lab::inncabs::alignment
