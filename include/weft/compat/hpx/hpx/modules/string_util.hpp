// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strings without the space around them.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

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

/// For `split`: whether a character is one of these.
[[nodiscard]] inline auto is_any_of(std::string characters) {
  return [all = std::move(characters)](char each) { return all.find(each) != std::string::npos; };
}
enum class token_compress_mode : unsigned char { off, on };
/// The parts of `text` between the characters for which `is_between` is true.
template <class Predicate>
void split(std::vector<std::string>& parts,
           const std::string& text,
           const Predicate& is_between,
           token_compress_mode mode = token_compress_mode::off) {
  parts.assign(1, {});
  bool was_between = false;
  for (const char each : text) {
    const bool is_separator = is_between(each);
    if (!is_separator) {
      parts.back() += each;
    } else if (!was_between || mode == token_compress_mode::off) {
      parts.emplace_back();
    }
    was_between = is_separator;
  }
}

}  // namespace hpx::string_util

namespace hpx::util {

class bad_lexical_cast : public std::bad_cast {
 public:
  [[nodiscard]] const char* what() const noexcept override {
    return "hpx::util::from_string: the text is no value of this type";
  }
};
template <class T>
[[nodiscard]] T from_string(const std::string& text) {
  std::istringstream from(text);
  T value{};
  if (!(from >> value) || !(from >> std::ws).eof()) {
    throw bad_lexical_cast();
  }
  return value;
}

}  // namespace hpx::util
