// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strings without the space around them.
#pragma once

#include <string>
#include <string_view>

#include <hpx/config.hpp>

namespace hpx::string_util {

[[nodiscard]] inline std::string trim_copy(std::string_view text) {
  constexpr std::string_view space = " \t\n\v\f\r";
  const auto first = text.find_first_not_of(space);
  if (first == std::string_view::npos) {
    return {};
  }
  return std::string(text.substr(first, text.find_last_not_of(space) - first + 1));
}
inline void trim(std::string& text) { text = trim_copy(text); }

}  // namespace hpx::string_util
