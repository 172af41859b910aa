// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A line of a terminal, of which it is known how many columns it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::top {

enum class style : std::uint8_t { plain, bold, dim, green, yellow, magenta, blue, alarm };

/// Collects text up to a width; what goes beyond is cut off.
class styled_line {
 public:
  styled_line(std::size_t width, bool has_colour) : width_(width), has_colour_(has_colour) {}

  /// `text` is UTF-8 of characters one column wide each; control characters are shown as '?'.
  styled_line& add(std::string_view text, style as = style::plain);
  /// Blanks up to a column.
  styled_line& pad_to(std::size_t column);
  /// Right-aligned, ending before a column.
  styled_line& add_right(std::string_view text, std::size_t end_column, style as = style::plain);

  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t columns_left() const noexcept { return width_ - columns_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::size_t width_;
  bool has_colour_;
  std::size_t columns_ = 0;
  std::string text_;
};

/// How many columns UTF-8 text takes.
[[nodiscard]] std::size_t columns_of(std::string_view text) noexcept;

}  // namespace weft::top
