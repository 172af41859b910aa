// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of the library: one name, one parser, four places to set them.
#pragma once

#include <any>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/// Who gave an option its value; the later ones win.
enum class option_source : std::uint8_t { standard, environment, command_line, program };

/// Turns the text of an option into a value, or into nothing if it cannot.
template <class Value>
struct option_parser {
  std::string accepts;  // as in "accepted is <...>": "a whole number from 1 to 8"
  std::function<std::optional<Value>(std::string_view)> parse;
};

/// Ends included.
[[nodiscard]] option_parser<int> whole_number(int smallest, int largest);
/// "65536", "64 KiB", "1MiB" or "2 GiB"; ends included.
[[nodiscard]] option_parser<std::size_t> size_in_bytes(std::size_t smallest, std::size_t largest);
/// "250us" or "1.5 s"; the units are ns, us, ms, s, min and h.
[[nodiscard]] option_parser<std::chrono::nanoseconds> duration();
[[nodiscard]] option_parser<bool> yes_or_no();
template <class Value>
[[nodiscard]] option_parser<Value> one_of(std::vector<std::pair<std::string, Value>> choices);

struct option {
  std::string name;         // "bind": set by --weft:bind=...
  std::string environment;  // "WEFT_BIND"; empty: no variable sets it
  std::string help;         // a sentence
  std::string default_text;
  std::optional<std::string> bare_value = std::nullopt;  // what --weft:<name> without "=" means
};

/// Returns the value of an environment variable; nothing if it is unset or empty.
using environment_lookup = std::function<std::optional<std::string>(const char* variable)>;
[[nodiscard]] std::optional<std::string> process_environment(const char* variable);

/// Collects options of the modules and reads their values from all places.
///
/// A value set by the program wins over the command line, that over the environment, whatever the
/// order of the calls. A text is parsed where it is read, even if another place wins.
/// Threads: one thread at a time.
/// Errors:  `weft::error` that says what was given, where, and what is accepted: a text that does
///          not parse, an option nobody registered (with the nearest name), a name registered
///          twice.
/// Example: tests/base/options_test.cpp: the_program_wins_over_the_command_line.
class option_registry {
 public:
  /// Has one option: --weft:help.
  option_registry();

  template <class Value>
  void add(const option& what, option_parser<Value> parser);

  /// Reads the variable of every option.
  void read_environment(const environment_lookup& lookup = process_environment);
  /// Reads every `--weft:name=value` up to `--`, and removes what it read from `argv`.
  ///
  /// Given twice, the last one holds. On an error `argv` is as it was.
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

  void add_entry(entry added);
  [[nodiscard]] const entry& find(std::string_view name) const;
  [[nodiscard]] entry& find(std::string_view name);
  void read_argument(std::string_view argument);
  static void assign(entry& to, option_source source, std::string_view text);

  std::vector<entry> entries_;
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
void option_registry::add(const option& what, option_parser<Value> parser) {
  auto parse = [typed = std::move(parser.parse)](std::string_view text) {
    std::optional<Value> value = typed(text);
    return value ? std::optional<std::any>(*std::move(value)) : std::nullopt;
  };
  add_entry({.what = what,
             .parser = {.accepts = std::move(parser.accepts), .parse = std::move(parse)},
             .value = {}});
}

template <class Value>
std::optional<Value> option_registry::value(std::string_view name) const {
  const std::any& held = find(name).value;
  return held.has_value() ? std::optional(std::any_cast<Value>(held)) : std::nullopt;
}

}  // namespace weft
