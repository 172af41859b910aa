// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of counter names share: errors that mark their place, and where parameters end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "weft/base/error.hpp"
#include "weft/counters/name.hpp"

namespace weft::counters::detail {

/// Returns the error for `text[at]`: what is the matter, and `text` with a mark below the place.
[[nodiscard]] error marked_error(std::string_view text, std::size_t at, std::string_view problem);

enum class parameter_end : std::uint8_t { brace, brace_or_comma };

struct parameter_scan {
  std::size_t at;            // where the parameters end, or the brace or quote without partner
  std::string_view problem;  // empty: none
};

/// Finds the end of the parameters from `text[first]` on: the end of the text, or the first brace,
/// or comma if that ends them, which is not between braces or quotes of theirs.
[[nodiscard]] parameter_scan find_parameter_end(std::string_view text,
                                                std::size_t first,
                                                parameter_end ends);

/// Prints the instance, or the base, without its braces.
[[nodiscard]] std::string instance_text(const counter_name& name);

}  // namespace weft::counters::detail
