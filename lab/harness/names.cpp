// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Levenshtein distance and the sentences built on it.
#include "lab/harness/names.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::lab {
namespace {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string unknown_name(std::string_view what,
                         std::string_view name,
                         std::span<const std::string> candidates) {
  std::string text = "unknown " + std::string(what) + " \"" + std::string(name) + "\"";
  if (const auto nearest = nearest_name(name, candidates)) {
    text += "; did you mean \"" + *nearest + "\"?";
  }
  text += text.ends_with('?') ? " Valid: " : "; valid: ";
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    text += (i == 0 ? "" : ", ") + candidates[i];
  }
  return text;
}

}  // namespace weft::lab
