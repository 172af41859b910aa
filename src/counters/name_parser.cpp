// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads counter names, and marks what does not fit.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/name.hpp"

#include "counters/name_text.hpp"

namespace weft::counters {
namespace {

constexpr std::string_view hpx_prefix = "/counters";
constexpr int max_depth = 32;  // of names in the braces of names; a limit for the call stack

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

  /// What to say of the next character, which cannot follow what was read of `name`.
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
