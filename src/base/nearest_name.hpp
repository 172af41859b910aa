// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the existing name that was probably meant by a misspelt one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ranges>
#include <string_view>

namespace weft::detail {

/// Returns the Levenshtein distance: insertions, deletions and substitutions of one character each.
///
/// Cost: time `from.size() * to.size()`, memory `to.size()`.
[[nodiscard]] std::size_t num_edits(std::string_view from, std::string_view to);

/// Returns an iterator to the first element whose name takes the fewest edits; the end if there is
/// none.
template <std::ranges::forward_range All, class NameOf = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<All> nearest_name(All&& all,
                                                                 std::string_view wanted,
                                                                 NameOf name_of = {}) {
  return std::ranges::min_element(
      all, {}, [&](const auto& each) { return num_edits(wanted, std::invoke(name_of, each)); });
}

}  // namespace weft::detail
