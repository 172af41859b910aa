// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads weft-trace's command line.
#include "arguments.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/base/options.hpp"
#include "weft/counters/trace.hpp"

namespace weft::tools {
namespace {

/// Errors: `weft::error`.
template <class Value>
Value parsed(const std::string& option,
             const std::string& text,
             const base::option_parser<Value>& by) {
  auto value = by.parse(text);
  if (!value) {
    throw error(option + "=" + text + " is not understood; accepted is " + by.accepts);
  }
  return *std::move(value);
}

/// One after the other, with the value of an option behind "=" or in the next argument.
class argument_list {
 public:
  explicit argument_list(std::span<const std::string> arguments) : rest_(arguments) {}

  [[nodiscard]] bool is_empty() const { return rest_.empty(); }
  [[nodiscard]] std::span<const std::string> rest() const { return rest_; }

  /// The next argument's part before "=".
  std::string next() {
    const std::string& whole = rest_.front();
    rest_ = rest_.subspan(1);
    const std::size_t equals = whole.find('=');
    const bool is_option = whole.starts_with("-") && equals != std::string::npos;
    value_ = is_option ? std::optional(whole.substr(equals + 1)) : std::nullopt;
    return is_option ? whole.substr(0, equals) : whole;
  }

  /// The value of the option that `next` returned.
  std::string value(const std::string& option) {
    if (const auto behind_equals = std::exchange(value_, std::nullopt)) {
      return *behind_equals;
    }
    if (rest_.empty() || rest_.front().starts_with("-")) {
      throw error("option " + option + " wants a value: " + option + "=...");
    }
    const std::string& result = rest_.front();
    rest_ = rest_.subspan(1);
    return result;
  }

 private:
  std::span<const std::string> rest_;
  std::optional<std::string> value_;
};

void read_option(const std::string& option, argument_list& list, trace_arguments& result) {
  if (option == "--help" || option == "-h") {
    result.wants_help = true;
  } else if (option == "--output" || option == "-o") {
    result.output = list.value(option);
  } else if (option == "--last") {
    result.last = parsed(option, list.value(option), base::duration());
  } else if (option == "--buffer") {
    const std::string text = list.value(option);
    result.buffer = text;
    static_cast<void>(parsed(option,
                             text,
                             base::size_in_bytes(counters::smallest_trace_buffer_bytes,
                                                 counters::largest_trace_buffer_bytes)));
  } else if (option == "--recover") {
    result.rings.emplace_back(list.value(option));
  } else {
    throw error("there is no option " + option +
                "; there are --output, --last, --buffer, --recover and --help. What belongs to the "
                "program goes behind --: weft trace -- PROGRAM " +
                option);
  }
}

void refuse_contradictions(const trace_arguments& asked) {
  if (asked.wants_help) {
    return;
  }
  if (!asked.rings.empty() && !asked.program.empty()) {
    throw error("--recover takes rings that are there already, and runs no program; leave out \"" +
                asked.program.front() + "\" and what follows it");
  }
  if (asked.rings.empty() && asked.program.empty()) {
    throw error(
        "what is to be traced? weft trace -- PROGRAM [ARGUMENTS...], or weft trace "
        "--recover FILE.rings; weft trace --help says more");
  }
  if (asked.rings.size() > 1 && asked.output) {
    throw error("--output names one file, but there are " + std::to_string(asked.rings.size()) +
                " files of rings; leave it out: every trace is then called as its rings");
  }
}

}  // namespace

trace_arguments parse_arguments(std::span<const std::string> arguments) {
  trace_arguments result;
  argument_list list(arguments);
  while (!list.is_empty() && result.program.empty()) {
    const std::string& first = list.rest().front();
    if (first == "--") {
      result.program.assign(list.rest().begin() + 1, list.rest().end());
      break;
    }
    if (!first.starts_with("-")) {
      if (result.rings.empty()) {
        result.program.assign(list.rest().begin(), list.rest().end());
        break;
      }
      result.rings.emplace_back(list.next());
      continue;
    }
    const std::string option = list.next();
    read_option(option, list, result);
  }
  refuse_contradictions(result);
  return result;
}

}  // namespace weft::tools
