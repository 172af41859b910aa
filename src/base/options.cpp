// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads options from arguments and variables, and reports mistakes in them.
#include "weft/base/options.hpp"

#include <algorithm>
#include <any>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stdlib.h>  // for GNU's secure_getenv
#include <sys/auxv.h>
#include <unistd.h>  // for GNU's environ

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/base/printable.hpp"

#include "base/nearest_name.hpp"

namespace weft::base {

namespace {

constexpr std::string_view prefix = "--weft:";
constexpr std::string_view variable_prefix = "WEFT_";

}  // namespace

std::optional<std::string> process_environment(const char* variable) {
  const char* text = ::secure_getenv(variable);
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

const option_registry::entry& option_registry::find(std::string_view name,
                                                    const std::string& as_written) const {
  const auto name_of = [](const entry& each) { return std::string_view(each.what.name); };
  const auto found = std::ranges::find(entries_, name, name_of);
  if (found != entries_.end()) {
    return *found;
  }
  const auto nearest = detail::nearest_name(entries_, name, name_of);
  throw error("there is no option " + as_written + "; did you mean --weft:" + nearest->what.name +
              "? --weft:help lists all");
}

const option_registry::entry& option_registry::find(std::string_view name) const {
  return find(name, std::string(prefix) + std::string(name));
}

void option_registry::assign(entry& to, const given_text& given) {
  std::optional<std::any> value = to.parser.parse(given.text);
  if (!value) {
    throw error(given.as_written + ": accepted is " + to.parser.accepts);
  }
  if (given.source < to.source) {
    return;
  }
  if (to.parser.append && given.source == to.source) {
    to.parser.append(to.value, *std::move(value));
  } else {
    to.value = *std::move(value);
  }
  to.source = given.source;
}

void option_registry::read_environment(const environment_lookup& lookup, bad_variable treatment) {
  for (entry& each : entries_) {
    const std::string& variable = each.what.environment;
    if (variable.empty()) {
      continue;
    }
    const std::optional<std::string> text = lookup(variable.c_str());
    if (!text) {
      continue;
    }
    try {
      assign(each,
             {.source = option_source::environment,
              .text = *text,
              .as_written = "environment variable " + variable + '=' + *text});
    } catch (const error& mistake) {
      if (treatment == bad_variable::is_an_error) {
        throw;
      }
      const std::string line = "weft: " + std::string(mistake.what()) + "; it is ignored";
      send_message(printable(line, line_ends::masked) + '\n');
    }
  }
}

namespace {

/// Returns the names of this process's variables with weft's prefix; none in a setuid program.
std::vector<std::string_view> own_variables() {
  std::vector<std::string_view> names;
  for (char** each = getauxval(AT_SECURE) == 0 ? environ : nullptr;
       each != nullptr && *each != nullptr;
       ++each) {
    const std::string_view text(*each);
    if (text.starts_with(variable_prefix)) {
      names.push_back(text.substr(0, text.find('=')));
    }
  }
  return names;
}

}  // namespace

void option_registry::tell_misspelt_variables(
    std::initializer_list<std::string_view> others) const {
  constexpr std::size_t most_edits = 2;
  std::vector<std::string_view> known(others);
  for (const entry& each : entries_) {
    known.emplace_back(each.what.environment);
  }
  for (const std::string_view name : own_variables()) {
    const std::string_view nearest = *detail::nearest_name(known, name);
    const std::size_t num_edits = detail::num_edits(name, nearest);
    const std::size_t length = name.size() - variable_prefix.size();
    if (num_edits > 0 && num_edits <= std::min(most_edits, length / 2)) {
      send_message("weft: nothing reads environment variable " +
                   printable(name, line_ends::masked) + "; did you mean " + std::string(nearest) +
                   "?\n");
    }
  }
}

const option_dialect* option_registry::dialect_of(std::string_view argument) const {
  static const option_dialect ours{.prefix = std::string(prefix), .names = {}};
  if (argument.starts_with(prefix)) {
    return &ours;
  }
  const auto found = std::ranges::find_if(
      dialects_, [&](const option_dialect& each) { return argument.starts_with(each.prefix); });
  return found == dialects_.end() ? nullptr : &*found;
}

option_registry::entry& option_registry::find_in(const option_dialect& dialect,
                                                 std::string_view name) {
  const auto renamed = std::ranges::find(
      dialect.names, name, [](const auto& each) -> std::string_view { return each.first; });
  const entry& found =
      find(renamed == dialect.names.end() ? name : std::string_view(renamed->second),
           dialect.prefix + std::string(name));
  return const_cast<entry&>(found);  // *this is not const
}

void option_registry::read_argument(std::string_view argument) {
  const option_dialect& dialect = *dialect_of(argument);
  const std::string_view setting = argument.substr(dialect.prefix.size());
  const std::size_t equals = setting.find('=');
  entry& to = find_in(dialect, setting.substr(0, equals));
  std::string_view text;
  if (equals != setting.npos) {
    text = setting.substr(equals + 1);
  } else if (to.what.bare_value) {
    text = *to.what.bare_value;
  } else {
    throw error("option " + std::string(argument) + " lacks its value: write " +
                std::string(argument) + "=..., accepted is " + to.parser.accepts);
  }
  assign(to,
         {.source = option_source::command_line,
          .text = text,
          .as_written = "option " + std::string(argument)});
}

void option_registry::read_command_line(int& argc, char** argv) {
  const auto is_ours = [this](const char* argument) { return dialect_of(argument) != nullptr; };
  char** const first = argv + std::min(argc, 1);  // argv[0] is the program
  char** const last = std::find_if(
      first, argv + argc, [](const char* argument) { return std::string_view(argument) == "--"; });
  for (const char* argument : std::ranges::subrange(first, last) | std::views::filter(is_ours)) {
    read_argument(argument);
  }
  // the terminating null pointer of argv moves too
  char** const end = std::copy(last, argv + argc + 1, std::remove_if(first, last, is_ours));
  argc = static_cast<int>(end - argv) - 1;
}

void option_registry::set(std::string_view name, std::string_view text) {
  assign(const_cast<entry&>(std::as_const(*this).find(name)),  // *this is not const
         {.source = option_source::program,
          .text = text,
          .as_written = "the program's setting " + std::string(name) + '=' + std::string(text)});
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

}  // namespace weft::base
