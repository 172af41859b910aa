// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of the library: one name, one parser, four places to set them.
#pragma once

#include <algorithm>
#include <any>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::base {

/// The source of an option's value; later sources win.
enum class option_source : std::uint8_t { standard, environment, command_line, program };

/// Turns the text of an option into a value, or into nothing if it cannot.
template <class Value>
struct option_parser {
  std::string accepts;  // as in "accepted is <...>": "a whole number from 1 to 8"
  std::function<std::optional<Value>(std::string_view)> parse;
  /// Joins what one place gives repeatedly; empty: the last text holds.
  std::function<void(Value& all, Value&& next)> append = {};
};

/// Ends included.
[[nodiscard]] option_parser<int> whole_number(int smallest, int largest);
/// "65536", "64 KiB", "1MiB" or "2 GiB"; ends included.
[[nodiscard]] option_parser<std::size_t> size_in_bytes(std::size_t smallest, std::size_t largest);
/// "250us" or "1.5 s"; the units are ns, us, ms, s, min and h.
[[nodiscard]] option_parser<std::chrono::nanoseconds> duration();
/// "yes", "on" or "1"; "no", "off" or "0".
[[nodiscard]] option_parser<bool> yes_or_no();
/// Whatever is not empty, as it is.
[[nodiscard]] option_parser<std::string> any_text(std::string accepts);
/// Accepts the names of these values.
template <class Value>
[[nodiscard]] option_parser<Value> one_of(std::vector<std::pair<std::string, Value>> choices);
/// Makes an option repeatable: its value has one element per time that it was given.
template <class Value>
[[nodiscard]] option_parser<std::vector<Value>> list_of(option_parser<Value> element);

/// An option: its name, its environment variable and its help.
struct option {
  std::string name;         // "bind": set by --weft:bind=...
  std::string environment;  // "WEFT_BIND"; empty: no variable sets it
  std::string help;         // a sentence
  std::string default_text;
  std::optional<std::string> bare_value = std::nullopt;  // what --weft:<name> without "=" means
};

/// Another prefix than --weft: that arguments may have, and names that differ there.
struct option_dialect {
  std::string prefix;                                      // "--hpx:"
  std::vector<std::pair<std::string, std::string>> names;  // theirs, and ours: "threads", "workers"
};

/// The handling of a variable whose text does not parse.
enum class bad_variable : std::uint8_t {
  is_an_error,  // `weft::error`
  is_ignored    // a message says so
};

/// Returns the value of an environment variable; nothing if it is unset or empty.
using environment_lookup = std::function<std::optional<std::string>(const char* variable)>;
/// The same of this process. The library reads its environment with this function only.
///
/// A setuid or setgid program has no variables: its user may not choose what a more powerful user
/// writes.
/// Example: tests/tasks/setuid_test.cpp: no_variable_writes_a_file_of_another_user.
[[nodiscard]] std::optional<std::string> process_environment(const char* variable);

/// Collects options of the modules and reads their values from all places.
///
/// A value set by the program wins over the command line, that over the environment, whatever the
/// order of the calls. A text is parsed where it is read, even if another place wins.
/// Threads: one thread at a time.
/// Errors:  `weft::error` that names the text, its source, and the accepted values. Mistakes are a
///          text that does not parse, an unknown option (with the nearest name), and a name
///          registered twice.
/// Example: tests/base/options_test.cpp: the_program_wins_over_the_command_line.
class option_registry {
 public:
  /// Has one option: --weft:help.
  option_registry();

  template <class Value>
  void add(const option& what, option_parser<Value> parser);
  /// Lets `read_command_line` also take arguments with another prefix.
  void accept(option_dialect dialect) { dialects_.push_back(std::move(dialect)); }

  /// Reads the variable of every option.
  void read_environment(const environment_lookup& lookup = process_environment,
                        bad_variable treatment = bad_variable::is_an_error);
  /// Sends a message about every variable of this process whose name resembles an option's, or one
  /// of `others`, and equals none: it has no effect.
  void tell_misspelt_variables(std::initializer_list<std::string_view> others) const;
  /// Reads every `--weft:name=value` up to `--`, and removes what it read from `argv`.
  ///
  /// Given twice, the last one holds, but for a list. On an error `argv` is as it was.
  void read_command_line(int& argc, char** argv);
  /// Sets an option in the program's name.
  void set(std::string_view name, std::string_view text);

  /// Returns what was given, or nothing: the default, which the caller knows.
  template <class Value>
  [[nodiscard]] std::optional<Value> value(std::string_view name) const;
  [[nodiscard]] option_source source(std::string_view name) const;

  /// True if --weft:help was given: the program prints `help_text()` and stops.
  [[nodiscard]] bool wants_help() const;
  /// Returns a paragraph per option, in the order of registration.
  [[nodiscard]] std::string help_text() const;

 private:
  struct entry {
    option what;
    option_parser<std::any> parser;
    std::any value;
    option_source source = option_source::standard;
  };

  /// A text for an option, and as messages name it: "option --weft:bind=tight".
  struct given_text {
    option_source source;
    std::string_view text;
    std::string as_written;
  };

  void add_entry(entry added);
  /// The message for an unknown one calls it `as_written`.
  [[nodiscard]] const entry& find(std::string_view name, const std::string& as_written) const;
  [[nodiscard]] const entry& find(std::string_view name) const;
  [[nodiscard]] const option_dialect* dialect_of(std::string_view argument) const;
  [[nodiscard]] entry& find_in(const option_dialect& dialect, std::string_view name);
  void read_argument(std::string_view argument);
  static void assign(entry& to, const given_text& given);

  std::vector<entry> entries_;
  std::vector<option_dialect> dialects_;
};

template <class Value>
option_parser<Value> one_of(std::vector<std::pair<std::string, Value>> choices) {
  std::string accepts = "one of";
  const char* separator = " ";
  for (const auto& [name, value] : choices) {
    accepts += separator + name;
    separator = ", ";
  }
  auto parse = [choices = std::move(choices)](std::string_view text) {
    std::optional<Value> found;
    for (const auto& [name, value] : choices) {
      if (name == text) {
        found = value;
      }
    }
    return found;
  };
  return {.accepts = std::move(accepts), .parse = std::move(parse)};
}

template <class Value>
option_parser<std::vector<Value>> list_of(option_parser<Value> element) {
  auto parse = [parse_one = std::move(element.parse)](std::string_view text) {
    std::optional<Value> value = parse_one(text);
    return value ? std::optional(std::vector<Value>{*std::move(value)}) : std::nullopt;
  };
  auto append = [](std::vector<Value>& all, std::vector<Value>&& next) {
    std::move(next.begin(), next.end(), std::back_inserter(all));
  };
  return {.accepts = std::move(element.accepts) + "; may be given several times",
          .parse = std::move(parse),
          .append = std::move(append)};
}

template <class Value>
void option_registry::add(const option& what, option_parser<Value> parser) {
  option_parser<std::any> erased;
  erased.accepts = std::move(parser.accepts);
  erased.parse = [typed = std::move(parser.parse)](std::string_view text) {
    std::optional<Value> value = typed(text);
    return value ? std::optional<std::any>(*std::move(value)) : std::nullopt;
  };
  if (parser.append) {
    erased.append = [typed = std::move(parser.append)](std::any& all, std::any&& next) {
      typed(std::any_cast<Value&>(all), std::any_cast<Value&&>(std::move(next)));
    };
  }
  add_entry({.what = what, .parser = std::move(erased), .value = {}});
}

template <class Value>
std::optional<Value> option_registry::value(std::string_view name) const {
  const std::any& held = find(name).value;
  return held.has_value() ? std::optional(std::any_cast<Value>(held)) : std::nullopt;
}

}  // namespace weft::base
