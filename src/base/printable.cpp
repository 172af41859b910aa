// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads UTF-8 character by character, and masks characters that a terminal could interpret.
#include "weft/base/printable.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::base {
namespace {

/// A character of UTF-8.
struct character {
  std::size_t num_bytes = 0;  // 0: the bytes are not UTF-8
  std::uint32_t code = 0;
};

/// Returns the first character of `text`, which must not be empty.
character first_character(std::string_view text) noexcept {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) {
    return {.num_bytes = 1, .code = lead};
  }
  const std::size_t num_bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < num_bytes) {
    return {};
  }
  std::uint32_t code = lead & (0x7FU >> num_bytes);
  for (const char each : text.substr(1, num_bytes - 1)) {
    const auto byte = static_cast<unsigned char>(each);
    if ((byte & 0xC0U) != 0x80U) {
      return {};
    }
    code = code << 6U | (byte & 0x3FU);
  }
  const bool is_too_long = (num_bytes == 3 && code < 0x800) || (num_bytes == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return is_too_long || is_surrogate || code > 0x10FFFF ? character{} : character{num_bytes, code};
}

bool is_harmless(std::uint32_t code, line_ends ends) noexcept {
  if (code == '\n' || code == '\t') {
    return ends == line_ends::kept;
  }
  const bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool reverses = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return !is_control && !reverses;
}

/// Returns how many bytes at the start of `text` may be printed.
std::size_t harmless_bytes(std::string_view text, line_ends ends) noexcept {
  std::size_t size = 0;
  while (size < text.size()) {
    const character next = first_character(text.substr(size));
    if (next.num_bytes == 0 || !is_harmless(next.code, ends)) {
      break;
    }
    size += next.num_bytes;
  }
  return size;
}

}  // namespace

bool is_printable(std::string_view text, line_ends ends) noexcept {
  return harmless_bytes(text, ends) == text.size();
}

std::string printable(std::string_view text, line_ends ends) {
  std::string shown(text);
  for (std::size_t i = harmless_bytes(text, ends); i < text.size();
       i += harmless_bytes(text.substr(i), ends)) {
    const std::size_t num_masked =
        std::max<std::size_t>(1, first_character(text.substr(i)).num_bytes);
    shown.replace(i, num_masked, num_masked, '?');
    i += num_masked;
  }
  return shown;
}

}  // namespace weft::base
