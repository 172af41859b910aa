// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses and prints counter names, marks errors in them, and completes them.
#include "weft/counters/name.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"

#include "counters/core/localities.hpp"
#include "counters/core/name_text.hpp"

namespace weft::counters {
namespace {

struct index_printer {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::uint32_t number) const { return '#' + std::to_string(number); }
  std::string operator()(every_index) const { return "#*"; }
  std::string operator()(const std::string& pool) const { return '#' + pool; }
};

std::string printed(const counter_name& name) {
  std::string text;
  if (name.object == "counters" && name.instance.empty() && name.base.empty()) {
    text = "/counters";  // otherwise the object would be taken for the prefix
  }
  text += '/' + name.object;
  if (!name.instance.empty() || !name.base.empty()) {
    text += '{' + detail::instance_text(name) + '}';
  }
  if (!name.counter.empty()) {
    text += '/' + name.counter;
  }
  if (!name.parameters.empty()) {
    text += '@' + name.parameters;
  }
  return text;
}

}  // namespace

std::string detail::instance_text(const counter_name& name) {
  if (!name.base.empty()) {
    return printed(name.base.front());
  }
  std::string text;
  const char* separator = "";
  for (const instance_part& part : name.instance) {
    text += separator + part.name + std::visit(index_printer{}, part.index);
    separator = "/";
  }
  return text;
}

std::string to_string(const counter_name& name) {
  std::string text = printed(name);
  if (parse_counter_name(text) != name) {
    throw error("a counter name put together by hand prints as " + text +
                ", which reads differently: a part of it holds what ends that part; build names "
                "with parse_counter_name");
  }
  return text;
}

std::string type_name(const counter_name& name) {
  return '/' + name.object + (name.counter.empty() ? "" : '/' + name.counter);
}

counter_name complete(counter_name name) {
  if (!name.base.empty()) {
    name.base.front() = complete(std::move(name.base.front()));
  } else if (name.instance.empty()) {
    name.instance = {detail::own_locality_part(), {.name = "total"}};
  }
  return name;
}

namespace {

using detail::find_parameter_end;
using detail::parameter_end;
using detail::parameter_scan;

/// Returns the index of the quote that closes the one at `text[first]`, or `npos`.
std::size_t find_closing_quote(std::string_view text, std::size_t first) {
  std::size_t at = first + 1;
  while (at < text.size() && text[at] != '"') {
    at += text[at] == '\\' ? 2U : 1U;
  }
  return at < text.size() ? at : std::string_view::npos;
}

/// Returns the content of the quotes if they enclose the whole of `text`.
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

/// True if `value` can be written as one parameter without quotes.
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

namespace {

constexpr std::string_view hpx_prefix = "/counters";
constexpr int max_depth = 32;  // depth of names within braces of names; protects the call stack

class name_reader {
 public:
  explicit name_reader(std::string_view text) : text_(text) {}

  counter_name read_whole() {
    counter_name name = read_name(0);
    if (at_ < text_.size()) {
      throw unexpected(name);
    }
    return name;
  }

 private:
  counter_name read_name(int depth) {
    if (rest().starts_with(hpx_prefix) && rest().substr(hpx_prefix.size()).starts_with('/')) {
      at_ += hpx_prefix.size();
    }
    if (!skip('/')) {
      throw wrong("expected /, with which a counter name begins");
    }
    counter_name name;
    name.object = read_until("/{}#@\"");
    if (name.object.empty()) {
      throw wrong("expected an object, such as threads in /threads/count/cumulative");
    }
    if (next_is('{')) {
      read_instance(name, depth);
    }
    if (skip('/')) {
      name.counter = read_until("#{}@\"");
      if (name.counter.empty()) {
        throw wrong("expected a counter after the /, such as count/cumulative");
      }
    }
    if (skip('@')) {
      name.parameters = read_parameters();
    }
    return name;
  }

  void read_instance(counter_name& name, int depth) {
    const std::size_t opened = at_++;
    if (next_is('/')) {
      if (depth == max_depth) {
        throw wrong("too many names in the braces of others; expected at most 32");
      }
      name.base.push_back(read_name(depth + 1));
    } else {
      name.instance = read_parts();
    }
    if (at_ == text_.size()) {
      at_ = opened;
      throw wrong("this brace is never closed; expected a } for it");
    }
    if (!skip('}')) {
      throw name.base.empty() ? wrong("expected / or }, between or after the parts of an instance")
                              : unexpected(name.base.front());
    }
  }

  std::vector<instance_part> read_parts() {
    std::vector<instance_part> parts;
    do {
      const bool is_last = parts.size() == 2;
      instance_part part;
      if (!next_is('/')) {
        part.name = read_until(is_last ? "#{}\"" : "#/{}\"");
      }
      if (part.name.empty()) {
        throw wrong("expected a part of an instance, such as locality#0 or total");
      }
      if (skip('#')) {
        part.index = parts.size() == 1 && part.name == "pool" ? read_pool() : read_index();
      }
      parts.push_back(std::move(part));
    } while (parts.size() < 3 && skip('/'));
    return parts;
  }

  instance_index read_index() {
    if (skip('*')) {
      return every_index{};
    }
    std::uint32_t number = 0;
    const auto [last, problem] =
        std::from_chars(rest().data(), rest().data() + rest().size(), number);
    if (problem == std::errc::invalid_argument) {
      throw wrong("expected a number or *; only a pool, which is a second part, has a name");
    }
    if (problem == std::errc::result_out_of_range) {
      throw wrong("expected a number up to 4294967295");
    }
    at_ = static_cast<std::size_t>(last - text_.data());
    return number;
  }

  instance_index read_pool() {
    const std::string_view name = read_until("/{}\"");
    if (name.empty()) {
      throw wrong("expected the name of a pool or *");
    }
    return name == "*" ? instance_index(every_index{}) : instance_index(std::string(name));
  }

  std::string_view read_parameters() {
    const std::size_t first = at_;
    const auto [last, problem] =
        detail::find_parameter_end(text_, first, detail::parameter_end::brace);
    at_ = last;
    if (!problem.empty()) {
      throw wrong(problem);
    }
    if (last == first) {
      throw wrong("expected parameters after the @");
    }
    return text_.substr(first, last - first);
  }

  /// Returns the error about the next character, which cannot follow the part of `name` read so
  /// far.
  [[nodiscard]] error unexpected(const counter_name& name) const {
    switch (text_[at_]) {
      case '{':
        return wrong(
            name.counter.empty()
                ? "a second instance; expected / and a counter"
                : "the instance comes after the object; expected /object{instance}/counter");
      case '}':
        return wrong("this brace closes nothing");
      case '#':
        return wrong("an index belongs to a part of an instance; expected it in braces");
      case '"':
        return wrong("quotes belong into parameters; expected @ before them");
      default:
        return wrong("expected / and a counter, or @ and parameters");
    }
  }

  [[nodiscard]] error wrong(std::string_view problem) const {
    return detail::marked_error(text_, at_, problem);
  }

  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] bool next_is(char wanted) const { return rest().starts_with(wanted); }

  bool skip(char wanted) {
    const bool is_next = next_is(wanted);
    at_ += is_next ? 1 : 0;
    return is_next;
  }

  std::string_view read_until(std::string_view ends) {
    const std::size_t first = at_;
    at_ = std::min(text_.find_first_of(ends, first), text_.size());
    return text_.substr(first, at_ - first);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

error detail::marked_error(std::string_view text, std::size_t at, std::string_view problem) {
  std::string shown(text);
  std::ranges::replace_if(
      shown, [](char each) { return static_cast<unsigned char>(each) < ' '; }, '?');
  const auto continues_a_character = [](char each) { return (each & 0xC0) == 0x80; };  // in UTF-8
  const std::size_t column = at - static_cast<std::size_t>(std::ranges::count_if(
                                      text.substr(0, at), continues_a_character));
  return error("counter name, character " + std::to_string(column + 1) + ": " +
               std::string(problem) + "\n  " + shown + "\n  " + std::string(column, ' ') + '^');
}

counter_name parse_counter_name(std::string_view text) { return name_reader(text).read_whole(); }

}  // namespace weft::counters
