// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices in a text file: one line for each kind of exchange.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/halo/tuning.hpp"

namespace weft::halo::detail {

/// A line of the file: the best way for the exchange that `key` describes.
struct kept_choice {
  candidate best;
  double seconds = 0;
  std::string key;
};

/// Errors: `halo::error` (`bad_file`) that names the line, if the file has another format. A
///         missing file has no choices.
[[nodiscard]] std::vector<kept_choice> read_choices(const std::string& file);
/// Replaces the choice with the same key, or adds it; readers never see a partly written file.
/// Errors: as `read_choices`, and (`bad_file`) if it cannot be written.
void keep_choice(const std::string& file, const kept_choice& what);

}  // namespace weft::halo::detail
