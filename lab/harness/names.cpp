// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages that suggest the name that was probably meant.
#include "lab/harness/names.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/base/nearest_name.hpp"

namespace weft::lab {

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = weft::detail::num_edits(name, candidate);
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
