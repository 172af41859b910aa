// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that users type: the nearest valid one, and the message that suggests it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weft::lab {

/// Returns the candidate with the fewest typing mistakes (insertions, deletions, replacements) from
/// `name`.
///
/// Empty if even the nearest differs in more than a third of the letters (at least two): a very
/// different name does not help.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      std::span<const std::string> candidates);

/// Returns `unknown <what> "<name>"; did you mean "<nearest>"? Valid: a, b, c`.
[[nodiscard]] std::string unknown_name(std::string_view what,
                                       std::string_view name,
                                       std::span<const std::string> candidates);

}  // namespace weft::lab
