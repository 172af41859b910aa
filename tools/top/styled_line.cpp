// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts text at the width of the line and wraps it in colours.
#include "top/styled_line.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "weft/base/printable.hpp"

namespace weft::top {

namespace {

const char* code_of(style as) {
  switch (as) {
    case style::plain:
      break;
    case style::bold:
      return "\x1b[1m";
    case style::dim:
      return "\x1b[2m";
    case style::green:
      return "\x1b[32m";
    case style::yellow:
      return "\x1b[33m";
    case style::magenta:
      return "\x1b[35m";
    case style::blue:
      return "\x1b[34m";
    case style::alarm:
      return "\x1b[1;37;41m";
  }
  return "";
}

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

}  // namespace

std::size_t columns_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

styled_line& styled_line::add(std::string_view text, style as) {
  const bool is_styled = has_colour_ && as != style::plain && columns_ < width_ && !text.empty();
  text_ += is_styled ? code_of(as) : "";
  for (const char byte : base::printable(text, base::line_ends::masked)) {
    if (begins_character(byte)) {
      if (columns_ == width_) {
        break;
      }
      ++columns_;
    }
    text_ += byte;
  }
  text_ += is_styled ? "\x1b[0m" : "";
  return *this;
}

styled_line& styled_line::pad_to(std::size_t column) {
  return column > columns_ ? add(std::string(column - columns_, ' ')) : *this;
}

styled_line& styled_line::add_right(std::string_view text, std::size_t end_column, style as) {
  const std::size_t size = columns_of(base::printable(text, base::line_ends::masked));
  return pad_to(end_column > size ? end_column - size : 0).add(text, as);
}

}  // namespace weft::top
