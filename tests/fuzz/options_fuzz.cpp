// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command lines and variables: any text is a value, or is refused by `weft::error`.
//
// An input is lines: each of them is an argument, and the text of every variable.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/options.hpp"

#include "counters/print/counter_options.hpp"
#include "counters/trace/trace_options.hpp"
#include "lab/harness/errors.hpp"
#include "lab/harness/options.hpp"
#include "tools/top/options.hpp"
#include "tools/trace/arguments.hpp"

namespace {

using lines = std::vector<std::string>;

lines split(std::string_view text) {
  constexpr std::size_t most_lines = 32;
  lines result;
  while (!text.empty() && result.size() < most_lines) {
    const std::size_t end = text.find('\n');
    // The kernel ends arguments at a zero.
    result.emplace_back(std::string(text.substr(0, end)).c_str());
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return result;
}

weft::base::option_registry registry() {
  weft::base::option_registry made;
  weft::counters::detail::register_counter_options(made);
  weft::counters::detail::register_trace_options(made);
  made.add({.name = "count", .environment = "WEFT_COUNT", .help = "A number.", .default_text = "1"},
           weft::base::whole_number(-8, 4096));
  made.add({.name = "sizes", .environment = "WEFT_SIZES", .help = "Sizes.", .default_text = "1"},
           weft::base::list_of(weft::base::size_in_bytes(1, std::size_t{1} << 40U)));
  made.add({.name = "time", .environment = "WEFT_TIME", .help = "A time.", .default_text = "1s"},
           weft::base::duration());
  return made;
}

void read_library_arguments(const lines& given) {
  weft::base::option_registry options = registry();
  lines copies = given;
  std::string program = "program";
  std::vector<char*> argv{program.data()};
  for (std::string& each : copies) {
    argv.push_back(each.data());
  }
  argv.push_back(nullptr);
  int argc = static_cast<int>(argv.size()) - 1;
  options.read_command_line(argc, argv.data());
  (void)weft::counters::detail::read_counter_options(options);
}

void read_variables(const lines& given) {
  weft::base::option_registry options = registry();
  std::size_t next = 0;
  options.read_environment([&](const char* /*variable*/) -> std::optional<std::string> {
    return given[next++ % given.size()];
  });
  (void)weft::counters::detail::read_counter_options(options);
}

void read_top_arguments(const lines& given) {
  std::vector<const char*> arguments;
  for (const std::string& each : given) {
    arguments.push_back(each.c_str());
  }
  (void)weft::top::parse_options(arguments);
}

void read_trace_arguments(const lines& given) { (void)weft::tools::parse_arguments(given); }

void read_bench_arguments(const lines& given) { (void)weft::lab::parse_command_line(given); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const lines given = split({reinterpret_cast<const char*>(data), size});
  if (given.empty()) {
    return 0;
  }
  for (const auto read : {read_library_arguments,
                          read_variables,
                          read_top_arguments,
                          read_trace_arguments,
                          read_bench_arguments}) {
    try {
      read(given);
    } catch (const weft::error&) {
      continue;
    } catch (const weft::lab::bad_cell&) {
      continue;
    }
  }
  return 0;
}
