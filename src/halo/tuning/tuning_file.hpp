// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices in a text file: one line for each kind of exchange.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/halo/tuning.hpp"

namespace weft::halo::detail {

/// A line of the file: which way is best for what `key` describes.
struct kept_choice {
  candidate best;
  double seconds = 0;
  std::string key;
};

/// Errors: `halo::error` (`bad_file`) for a file that is none of these, with its line. A file that
/// is not there holds nothing.
[[nodiscard]] std::vector<kept_choice> read_choices(const std::string& file);
/// Replaces the choice with the same key, or adds it; the file is never there in part.
/// Errors: as `read_choices`, and (`bad_file`) if it cannot be written.
void keep_choice(const std::string& file, const kept_choice& what);

}  // namespace weft::halo::detail
