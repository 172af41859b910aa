// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces the placeholders of HPX's format strings.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <hpx/format.hpp>

#include "weft/base/error.hpp"

namespace hpx::util::detail {

namespace {

/// Returns the flags, width and precision of `options`, and its conversion letter if that is among
/// `letters`.
std::string format_for(std::string_view options,
                       std::string_view length,
                       std::string_view letters,
                       char otherwise) {
  constexpr std::string_view allowed = "-+ #0123456789.";
  const std::size_t end = options.find_first_not_of(allowed);
  const std::string_view flags = options.substr(0, end);
  std::string_view rest = end == std::string_view::npos ? std::string_view() : options.substr(end);
  rest.remove_prefix(std::min(rest.find_first_not_of("hlqjzt"), rest.size()));
  const char letter =
      rest.size() == 1 && letters.find(rest[0]) != std::string_view::npos ? rest[0] : otherwise;
  return '%' + std::string(flags) + std::string(length) + letter;
}

template <class Value>
void print(std::ostream& out, const std::string& format, Value value) {
  std::array<char, 512> text{};
  // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): made of checked parts
  const int length = std::snprintf(text.data(), text.size(), format.c_str(), value);
  if (length < 0 || static_cast<std::size_t>(length) >= text.size()) {
    throw weft::error("a number formatted with " + format + " takes too many characters");
  }
  out << text.data();
}

}  // namespace

void write_formatted(std::ostream& out, std::string_view options, double value) {
  if (options.empty()) {
    out << value;
  } else {
    print(out, format_for(options, "", "aAeEfFgG", 'g'), value);
  }
}
void write_formatted(std::ostream& out, std::string_view options, long long value) {
  if (options.empty()) {
    out << value;
  } else {
    print(out, format_for(options, "ll", "dixXo", 'd'), value);
  }
}
void write_formatted(std::ostream& out, std::string_view options, unsigned long long value) {
  if (options.empty()) {
    out << value;
  } else {
    print(out, format_for(options, "ll", "uxXo", 'u'), value);
  }
}

void format_all(std::ostream& out,
                std::string_view text,
                const std::vector<format_argument>& args) {
  std::size_t next = 0;
  for (;;) {
    const std::size_t open = text.find_first_of("{}");
    out << text.substr(0, open);
    if (open == std::string_view::npos) {
      return;
    }
    if (open + 1 < text.size() && text[open + 1] == text[open]) {  // "{{" or "}}"
      out << text[open];
      text.remove_prefix(open + 2);
      continue;
    }
    const std::size_t close = text.find('}', open);
    if (text[open] == '}' || close == std::string_view::npos) {
      throw weft::error("a format string with a brace that has no partner: " + std::string(text));
    }
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    const std::size_t colon = inside.find(':');
    const std::string_view number = inside.substr(0, colon);
    std::size_t index = next++;
    if (!number.empty()) {
      const auto [end, failure] =
          std::from_chars(number.data(), number.data() + number.size(), index);
      index = failure == std::errc() && index > 0 ? index - 1 : args.size();
    }
    if (index >= args.size()) {
      throw weft::error("a format string with {" + std::string(inside) + "}, and " +
                        std::to_string(args.size()) + " arguments");
    }
    args[index].write(out, colon == std::string_view::npos ? "" : inside.substr(colon + 1));
    text.remove_prefix(close + 1);
  }
}

}  // namespace hpx::util::detail
