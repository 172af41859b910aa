// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of counter names: values between commas, in quotes where they need it.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/counters/name.hpp"

#include "counters/name_text.hpp"

namespace weft::counters {
namespace {

using detail::find_parameter_end;
using detail::parameter_end;
using detail::parameter_scan;

/// Returns where the quote at `text[first]` is closed, or `npos`.
std::size_t find_closing_quote(std::string_view text, std::size_t first) {
  std::size_t at = first + 1;
  while (at < text.size() && text[at] != '"') {
    at += text[at] == '\\' ? 2U : 1U;
  }
  return at < text.size() ? at : std::string_view::npos;
}

/// Returns what the quotes hold if they are around the whole of `text`.
std::optional<std::string> unquoted(std::string_view text) {
  if (!text.starts_with('"') || find_closing_quote(text, 0) != text.size() - 1) {
    return std::nullopt;
  }
  std::string value;
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    at += text[at] == '\\' ? 1U : 0U;
    value += text[at];
  }
  return value;
}

std::string in_quotes(std::string_view value) {
  std::string text = "\"";
  for (const char each : value) {
    if (each == '"' || each == '\\') {
      text += '\\';
    }
    text += each;
  }
  return text + '"';
}

/// Tells whether `value` as it stands is one parameter that means itself.
bool is_plain(std::string_view value) {
  const parameter_scan scan = find_parameter_end(value, 0, parameter_end::brace_or_comma);
  return !value.empty() && !unquoted(value) && scan.problem.empty() && scan.at == value.size();
}

}  // namespace

parameter_scan detail::find_parameter_end(std::string_view text,
                                          std::size_t first,
                                          parameter_end ends) {
  std::vector<std::size_t> opened;
  for (std::size_t at = first; at < text.size(); ++at) {
    const char each = text[at];
    if (each == '"') {
      const std::size_t closing = find_closing_quote(text, at);
      if (closing == text.npos) {
        return {at, "this quote is never closed; expected another \" for it"};
      }
      at = closing;
    } else if (each == '{') {
      opened.push_back(at);
    } else if (each == '}' && !opened.empty()) {
      opened.pop_back();
    } else if (opened.empty() &&
               (each == '}' || (each == ',' && ends == parameter_end::brace_or_comma))) {
      return {at, {}};
    }
  }
  if (!opened.empty()) {
    return {opened.back(), "this brace is never closed; expected a } for it, or quotes around it"};
  }
  return {text.size(), {}};
}

std::vector<std::string> split_parameters(std::string_view parameters) {
  std::vector<std::string> values;
  std::size_t first = 0;
  while (!parameters.empty()) {
    const auto [last, problem] =
        find_parameter_end(parameters, first, parameter_end::brace_or_comma);
    if (!problem.empty()) {
      throw detail::marked_error(parameters, last, problem);
    }
    const std::string_view text = parameters.substr(first, last - first);
    values.push_back(unquoted(text).value_or(std::string(text)));
    if (last == parameters.size()) {
      break;
    }
    if (parameters[last] == '}') {
      throw detail::marked_error(
          parameters, last, "this brace closes nothing; expected quotes around it");
    }
    first = last + 1;
  }
  return values;
}

std::string join_parameters(std::span<const std::string> values) {
  std::string text;
  const char* separator = "";
  for (const std::string& each : values) {
    text += separator + (is_plain(each) ? each : in_quotes(each));
    separator = ",";
  }
  return text;
}

}  // namespace weft::counters
