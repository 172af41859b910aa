// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks for what is not the library's own in the names of its templates.
#include "top/labels.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::top {

namespace {

constexpr std::string_view opening = "<({[";
constexpr std::string_view closing = ">)}]";

/// The arguments of the first template in `text`: what stands between its commas.
std::vector<std::string_view> template_arguments(std::string_view text) {
  std::vector<std::string_view> arguments;
  const std::size_t open = text.find('<');
  if (open == std::string_view::npos) {
    return arguments;
  }
  int depth = 0;
  std::size_t first = open + 1;
  for (std::size_t i = first; i < text.size(); ++i) {
    const bool is_arrow = text[i] == '>' && text[i - 1] == '-';
    const bool is_end = depth == 0 && text[i] == '>' && !is_arrow;
    if (is_end || (depth == 0 && text[i] == ',')) {
      arguments.push_back(text.substr(first, i - first));
      first = i + 2;  // behind ", "
    }
    if (is_end) {
      break;
    }
    depth += opening.find(text[i]) != std::string_view::npos ? 1 : 0;
    depth -= closing.find(text[i]) != std::string_view::npos && !is_arrow ? 1 : 0;
  }
  return arguments;
}

bool is_library(std::string_view name) {
  return name.starts_with("weft::tasks::") || name.starts_with("std::");
}

bool is_code(std::string_view name) {
  return name.find("lambda") != std::string_view::npos ||
         name.find("$_") != std::string_view::npos || name.find("::") != std::string_view::npos ||
         name.find('(') != std::string_view::npos;
}

/// Empty if there is nothing of a user's in it.
std::string_view users_code(std::string_view text) {
  for (const std::string_view argument : template_arguments(text)) {
    const std::string_view found = is_library(argument) ? users_code(argument)
                                   : is_code(argument)  ? argument
                                                        : std::string_view();
    if (!found.empty()) {
      return found;
    }
  }
  return {};
}

std::string without(std::string text, std::string_view what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.erase(at, what.size());
  }
  return text;
}

}  // namespace

std::string readable_label(std::string_view demangled) {
  const std::string_view code = is_library(demangled) ? users_code(demangled) : demangled;
  return without(std::string(code.empty() ? demangled : code), "(anonymous namespace)::");
}

}  // namespace weft::top
