// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers for the parts of counter names: errors with a mark, and the end of parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "weft/base/error.hpp"
#include "weft/counters/name.hpp"

namespace weft::counters::detail {

/// Returns the error for `text[at]`: the problem, and `text` with a mark below that character.
[[nodiscard]] error marked_error(std::string_view text, std::size_t at, std::string_view problem);

enum class parameter_end : std::uint8_t { brace, brace_or_comma };

struct parameter_scan {
  std::size_t at;            // the end of the parameters, or an unmatched brace or quote
  std::string_view problem;  // empty: none
};

/// Finds the end of the parameters that begin at `text[first]`. That is the end of the text or the
/// first brace outside the parameters' own braces and quotes. If a comma ends them, it may also be
/// a comma.
[[nodiscard]] parameter_scan find_parameter_end(std::string_view text,
                                                std::size_t first,
                                                parameter_end ends);

/// True for the part `*`, which means every part.
[[nodiscard]] inline bool is_star(const instance_part& part) {
  return part.name == "*" && std::holds_alternative<std::monostate>(part.index);
}

/// Returns the instance, or the base, without its braces.
[[nodiscard]] std::string instance_text(const counter_name& name);

}  // namespace weft::counters::detail
