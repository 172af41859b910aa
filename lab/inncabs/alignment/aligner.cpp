// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass over prefixes, and the recursion on where a best alignment crosses the middle.
#include "lab/inncabs/alignment/aligner.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "lab/inncabs/alignment/scoring.hpp"

namespace weft::lab::inncabs::alignment {
namespace {

enum class reading : std::uint8_t { forwards, backwards };

template <reading order>
residue at(std::span<const residue> of, std::size_t i) {
  return order == reading::forwards ? of[i] : of[of.size() - 1 - i];
}

void start_row(std::size_t num_columns, border_scores& scores) {
  for (std::size_t j = 0; j <= num_columns; ++j) {
    scores.best[j] = -gap_cost(j);
    scores.in_gap[j] = scores.best[j] - gap_open;
  }
}

// Fills `scores` for the whole of `first` against each prefix of `second`, in reading order.
template <reading order>
void pass(std::span<const residue> first,
          std::span<const residue> second,
          int open_at_start,
          border_scores& scores) {
  start_row(second.size(), scores);
  std::int32_t* best = scores.best.data();
  std::int32_t* in_gap = scores.in_gap.data();
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::int16_t* worth = gonnet250[at<order>(first, i)].data();
    std::int32_t diagonal = best[0];
    std::int32_t here = -(open_at_start + gap_extend * static_cast<std::int32_t>(i + 1));
    std::int32_t in_other_gap = here - gap_open;
    best[0] = here;
    in_gap[0] = here;
    for (std::size_t j = 1; j <= second.size(); ++j) {
      in_other_gap = std::max(in_other_gap, here - gap_open) - gap_extend;
      in_gap[j] = std::max(in_gap[j], best[j] - gap_open) - gap_extend;
      here = std::max({in_gap[j], in_other_gap, diagonal + worth[at<order>(second, j - 1)]});
      diagonal = best[j];
      best[j] = here;
    }
  }
}

}  // namespace

aligner::aligner(std::size_t max_second) {
  for (border_scores* each : {&from_left_, &from_right_}) {
    each->best.resize(max_second + 1);
    each->in_gap.resize(max_second + 1);
  }
}

int aligner::best_score(const alignment_problem& of) {
  pass<reading::forwards>(of.first, of.second, of.open_before, from_left_);
  return from_left_.best[of.second.size()];
}

void aligner::align(const alignment_problem& what) {
  const auto& [first, second, open_before, open_after] = what;
  if (second.empty() || first.empty()) {
    path_.skip_in_first(first.size());
    path_.skip_in_second(second.size());
    return;
  }
  if (first.size() == 1) {
    align_one_residue(what);
    return;
  }
  const std::size_t middle = first.size() / 2;
  const auto [cut, is_in_gap] = crossing_of(what, middle);
  // A gap across the middle includes the residue on each side of it, and continues in both parts.
  const std::size_t in_gap = is_in_gap ? 1 : 0;
  const int open = is_in_gap ? 0 : gap_open;
  align({first.first(middle - in_gap), second.first(cut), open_before, open});
  path_.skip_in_first(2 * in_gap);
  align({first.subspan(middle + in_gap), second.subspan(cut), open, open_after});
}

aligner::crossing aligner::crossing_of(const alignment_problem& what, std::size_t middle) {
  const std::size_t size = what.second.size();
  pass<reading::forwards>(what.first.first(middle), what.second, what.open_before, from_left_);
  pass<reading::backwards>(what.first.subspan(middle), what.second, what.open_after, from_right_);
  crossing found{.second = 0, .is_in_gap = false};
  std::int32_t best = std::numeric_limits<std::int32_t>::min();
  for (std::size_t j = 0; j <= size; ++j) {
    const std::int32_t outside = from_left_.best[j] + from_right_.best[size - j];
    // A gap across the middle was opened in both halves, but is one gap.
    const std::int32_t inside = from_left_.in_gap[j] + from_right_.in_gap[size - j] + gap_open;
    if (std::max(outside, inside) > best) {
      best = std::max(outside, inside);
      found = {.second = j, .is_in_gap = inside > outside};
    }
  }
  return found;
}

void aligner::align_one_residue(const alignment_problem& what) {
  const residue only = what.first[0];
  const std::size_t size = what.second.size();
  int best = -(std::min(what.open_before, what.open_after) + gap_extend) - gap_cost(size);
  std::size_t place = size;  // opposite to none
  for (std::size_t j = 0; j < size; ++j) {
    const int score = gonnet250[only][what.second[j]] - gap_cost(j) - gap_cost(size - 1 - j);
    if (score > best) {
      best = score;
      place = j;
    }
  }
  if (place < size) {
    path_.skip_in_second(place);
    path_.match(only, what.second[place]);
    path_.skip_in_second(size - 1 - place);
    return;
  }
  // At the end where the gap is cheaper to open.
  const std::size_t before = what.open_before < what.open_after ? 1 : 0;
  path_.skip_in_first(before);
  path_.skip_in_second(size);
  path_.skip_in_first(1 - before);
}

}  // namespace weft::lab::inncabs::alignment
