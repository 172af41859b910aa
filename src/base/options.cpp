// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads options from arguments and variables, and says what is wrong with them.
#include "weft/base/options.hpp"

#include <algorithm>
#include <any>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"

#include "base/nearest_name.hpp"

namespace weft {

namespace {

constexpr std::string_view prefix = "--weft:";

/// How a value from `source` was written, for messages.
std::string as_written(const option& what, option_source source, std::string_view text) {
  const std::string equals_text = "=" + std::string(text);
  switch (source) {
    case option_source::environment:
      return "environment variable " + what.environment + equals_text;
    case option_source::command_line:
      return "option " + std::string(prefix) + what.name + equals_text;
    case option_source::standard:
    case option_source::program:
      break;
  }
  return "the program's setting " + what.name + equals_text;
}

}  // namespace

std::optional<std::string> process_environment(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? std::nullopt : std::optional<std::string>(text);
}

option_registry::option_registry() {
  add({.name = "help",
       .environment = "",
       .help = "Lists these options.",
       .default_text = "no",
       .bare_value = "yes"},
      yes_or_no());
}

void option_registry::add_entry(entry added) {
  const auto is_taken = [&](const entry& each) { return each.what.name == added.what.name; };
  if (std::ranges::any_of(entries_, is_taken)) {
    throw error("option --weft:" + added.what.name +
                " is registered twice; give one of the two another name");
  }
  entries_.push_back(std::move(added));
}

const option_registry::entry& option_registry::find(std::string_view name) const {
  const auto found = std::ranges::find(
      entries_, name, [](const entry& each) { return std::string_view(each.what.name); });
  if (found != entries_.end()) {
    return *found;
  }
  const auto nearest = detail::nearest_name(
      entries_, name, [](const entry& each) { return std::string_view(each.what.name); });
  throw error("there is no option --weft:" + std::string(name) +
              "; did you mean --weft:" + nearest->what.name + "? --weft:help lists all");
}

option_registry::entry& option_registry::find(std::string_view name) {
  return const_cast<entry&>(std::as_const(*this).find(name));  // *this is not const
}

void option_registry::assign(entry& to, option_source source, std::string_view text) {
  std::optional<std::any> value = to.parser.parse(text);
  if (!value) {
    throw error(as_written(to.what, source, text) + ": accepted is " + to.parser.accepts);
  }
  if (source >= to.source) {
    to.value = *std::move(value);
    to.source = source;
  }
}

void option_registry::read_environment(const environment_lookup& lookup) {
  for (entry& each : entries_) {
    if (each.what.environment.empty()) {
      continue;
    }
    if (const std::optional<std::string> text = lookup(each.what.environment.c_str())) {
      assign(each, option_source::environment, *text);
    }
  }
}

void option_registry::read_argument(std::string_view argument) {
  const std::string_view setting = argument.substr(prefix.size());
  const std::size_t equals = setting.find('=');
  entry& to = find(setting.substr(0, equals));
  if (equals != setting.npos) {
    assign(to, option_source::command_line, setting.substr(equals + 1));
  } else if (to.what.bare_value) {
    assign(to, option_source::command_line, *to.what.bare_value);
  } else {
    throw error("option " + std::string(argument) + " lacks its value: write " +
                std::string(argument) + "=..., accepted is " + to.parser.accepts);
  }
}

void option_registry::read_command_line(int& argc, char** argv) {
  const auto is_ours = [](const char* argument) {
    return std::string_view(argument).starts_with(prefix);
  };
  char** const first = argv + std::min(argc, 1);  // argv[0] is the program
  char** const last = std::find_if(
      first, argv + argc, [](const char* argument) { return std::string_view(argument) == "--"; });
  for (const char* argument : std::ranges::subrange(first, last) | std::views::filter(is_ours)) {
    read_argument(argument);
  }
  // the null pointer that ends argv moves too
  char** const end = std::copy(last, argv + argc + 1, std::remove_if(first, last, is_ours));
  argc = static_cast<int>(end - argv) - 1;
}

void option_registry::set(std::string_view name, std::string_view text) {
  assign(find(name), option_source::program, text);
}

option_source option_registry::source(std::string_view name) const { return find(name).source; }

bool option_registry::wants_help() const { return value<bool>("help").value_or(false); }

std::string option_registry::help_text() const {
  std::string text = "Options of weft; arguments after -- are left alone.\n";
  for (const entry& each : entries_) {
    const option& what = each.what;
    text += "\n  " + std::string(prefix) + what.name;
    text += (what.bare_value ? "[=...]" : "=...");
    text += "\n      " + what.help + "\n      Accepted: " + each.parser.accepts;
    text += ". Default: " + what.default_text + ".";
    if (!what.environment.empty()) {
      text += " Environment: " + what.environment + ".";
    }
    text += '\n';
  }
  return text;
}

}  // namespace weft
