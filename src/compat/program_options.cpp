// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the command lines of HPX programs.
#include <any>
#include <cstddef>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <hpx/program_options.hpp>

#include "weft/base/error.hpp"

namespace hpx::program_options {

namespace detail {

void refuse(const std::string& option, const std::string& text) {
  throw weft::error("--" + option + "=" + text +
                    ": this option takes another kind of value; see --help");
}

bool parse_truth(const std::string& option, const std::string& text) {
  if (text == "1" || text == "true" || text == "yes" || text == "on") {
    return true;
  }
  if (text == "0" || text == "false" || text == "no" || text == "off") {
    return false;
  }
  refuse(option, text);
}

namespace {

const option_description* find_option(const options_description& all, const std::string& name) {
  for (const option_description& each : all.options()) {
    if (each.name == name || (!each.letter.empty() && each.letter == name)) {
      return &each;
    }
  }
  return nullptr;
}

struct argument {
  std::string name;  // without its dashes; empty: this is no option
  std::string value;
  bool has_value = false;
};

argument parse_argument(const std::string& text) {
  const bool is_long = text.size() > 2 && text.starts_with("--");
  const bool is_short = !is_long && text.size() > 1 && text[0] == '-' && text[1] != '-' &&
                        (text[1] < '0' || text[1] > '9') && text[1] != '.';
  if (is_long) {
    const std::size_t end = text.find('=');
    if (end == std::string::npos) {
      return {.name = text.substr(2), .value = {}};
    }
    return {.name = text.substr(2, end - 2), .value = text.substr(end + 1), .has_value = true};
  }
  if (is_short) {
    return {.name = text.substr(1, 1), .value = text.substr(2), .has_value = text.size() > 2};
  }
  return {};
}

/// Reads the values that follow without a name, as of `at`, for an option that takes several;
/// returns the position behind them.
std::size_t read_more_values(const std::vector<std::string>& arguments,
                             std::size_t at,
                             const option_description& option,
                             std::any& value) {
  const auto is_value = [](const std::string& text) {
    return text != "--" && parse_argument(text).name.empty();
  };
  if (option.semantic->takes_several()) {
    for (; at < arguments.size() && is_value(arguments[at]); ++at) {
      option.semantic->parse(option.name, arguments[at], value);
    }
  }
  return at;
}

/// Reads the option at `arguments[at]`; returns how many arguments it takes up.
std::size_t read_option(const std::vector<std::string>& arguments,
                        std::size_t at,
                        const argument& given,
                        const option_description& option,
                        std::any& value) {
  if (option.semantic == nullptr) {
    if (given.has_value) {
      throw weft::error(arguments[at] + ": this option takes no value");
    }
    value = std::string();
    return 1;
  }
  if (given.has_value) {
    option.semantic->parse(option.name, given.value, value);
    return read_more_values(arguments, at + 1, option, value) - at;
  }
  const bool has_next = at + 1 < arguments.size() && parse_argument(arguments[at + 1]).name.empty();
  if (option.semantic->takes_argument() && has_next) {
    option.semantic->parse(option.name, arguments[at + 1], value);
    return read_more_values(arguments, at + 2, option, value) - at;
  }
  value = option.semantic->implicit_value_or_none();
  if (!value.has_value()) {
    throw weft::error(arguments[at] + ": a value is missing; write --" + option.name + "=VALUE");
  }
  return 1;
}

void complete(const options_description& all, variables_map& values) {
  for (const option_description& option : all.options()) {
    if (option.semantic == nullptr) {
      continue;
    }
    if (!values.contains(option.name)) {
      if (std::any value = option.semantic->default_value_or_none(); value.has_value()) {
        values.emplace(option.name, variable_value(std::move(value), true));
      } else if (option.semantic->is_required()) {
        throw weft::error("--" + option.name + " is required; see --help");
      }
    }
  }
}

}  // namespace
}  // namespace detail

options_description_easy_init& options_description_easy_init::operator()(const char* name,
                                                                         const char* text) {
  return (*this)(name, nullptr, text);
}

options_description_easy_init& options_description_easy_init::operator()(
    const char* name, const value_semantic* semantic, const char* text) {
  std::shared_ptr<const value_semantic> owned(semantic);
  const std::string both(name);
  const std::size_t comma = both.find(',');
  owner_->add_one({.name = both.substr(0, comma),
                   .letter = comma == std::string::npos ? std::string() : both.substr(comma + 1),
                   .semantic = std::move(owned),
                   .text = text});
  return *this;
}

options_description& options_description::add(const options_description& more) {
  options_.insert(options_.end(), more.options_.begin(), more.options_.end());
  return *this;
}

std::ostream& operator<<(std::ostream& out, const options_description& all) {
  if (!all.caption_.empty()) {
    out << all.caption_ << ":\n";
  }
  for (const option_description& each : all.options_) {
    out << "  " << (each.letter.empty() ? "" : "-" + each.letter + " [ ") << "--" << each.name
        << (each.letter.empty() ? "" : " ]");
    if (each.semantic != nullptr && each.semantic->takes_argument()) {
      out << " arg";
      if (const std::string value = each.semantic->default_text(); !value.empty()) {
        out << " (=" << value << ')';
      }
    }
    out << "  " << each.text << '\n';
  }
  return out;
}

variables_map read_arguments(std::vector<std::string>& arguments,
                             const options_description& all,
                             bool keeps_unknown) {
  std::map<std::string, std::any> given;
  std::vector<std::string> left;
  for (std::size_t i = 0; i < arguments.size();) {
    const detail::argument next = detail::parse_argument(arguments[i]);
    const option_description* const option =
        next.name.empty() ? nullptr : detail::find_option(all, next.name);
    if (option != nullptr) {
      i += detail::read_option(arguments, i, next, *option, given[option->name]);
      continue;
    }
    if (!next.name.empty() && !keeps_unknown) {
      throw weft::error(arguments[i] + ": there is no such option; see --help");
    }
    left.push_back(arguments[i++]);
  }
  variables_map values;
  for (auto& [name, value] : given) {
    values.emplace(name, variable_value(std::move(value), false));
  }
  arguments = std::move(left);
  detail::complete(all, values);
  for (const option_description& option : all.options()) {
    if (const auto found = values.find(option.name);
        found != values.end() && option.semantic != nullptr) {
      option.semantic->notify(found->second.raw());
    }
  }
  return values;
}

}  // namespace hpx::program_options
