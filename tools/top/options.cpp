// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the command line.
#include "top/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "weft/base/error.hpp"
#include "weft/base/options.hpp"

namespace weft::top {

namespace {

/// What can be given. Without `placeholder` it takes no value.
struct known_option {
  std::string_view name;
  std::string_view placeholder;
  std::string_view help;
  void (*set)(top_options& to, const std::string& value);
};

[[noreturn]] void refuse(std::string_view option,
                         const std::string& value,
                         std::string_view accepted) {
  throw error(std::string(option) + " " + value + " is not understood; give " +
              std::string(accepted));
}

std::uint64_t whole(std::string_view option,
                    const std::string& value,
                    std::uint64_t largest,
                    std::string_view accepted) {
  std::uint64_t number = 0;
  const char* const last = value.data() + value.size();
  const auto [end, code] = std::from_chars(value.data(), last, number);
  if (code != std::errc() || end != last || number == 0 || number > largest) {
    refuse(option, value, accepted);
  }
  return number;
}

double seconds(const std::string& value) {
  const auto parsed = base::duration().parse(value);
  constexpr double shortest_s = 0.01;
  const double interval_s = parsed ? std::chrono::duration<double>(*parsed).count() : 0;
  if (interval_s < shortest_s) {
    refuse("--interval", value, "10ms or more, such as 250ms or 2s");
  }
  return interval_s;
}

constexpr std::array known_options = {
    known_option{"--pid",
                 "PID",
                 "Watch this process, or see what it left when it was killed.",
                 [](top_options& to, const std::string& v) {
                   to.pid = whole("--pid", v, 0x7fffffff, "the number of a process");
                 }},
    known_option{"--all",
                 "",
                 "One line for each weft program of yours.",
                 [](top_options& to, const std::string&) { to.is_all = true; }},
    known_option{"--once",
                 "",
                 "Look once (twice, one interval apart), print, and end.",
                 [](top_options& to, const std::string&) { to.is_once = true; }},
    known_option{"--interval",
                 "TIME",
                 "From look to look: 250ms on a terminal, else 1s.",
                 [](top_options& to, const std::string& v) { to.interval_s = seconds(v); }},
    known_option{"--json",
                 "",
                 "Print one JSON object per look.",
                 [](top_options& to, const std::string&) { to.format = output_format::json; }},
    known_option{"--csv",
                 "",
                 "Print one line per look and worker.",
                 [](top_options& to, const std::string&) { to.format = output_format::csv; }},
    known_option{"--record",
                 "FILE",
                 "Keep every look in a file.",
                 [](top_options& to, const std::string& v) { to.record = v; }},
    known_option{"--replay",
                 "FILE",
                 "Show looks that were kept, instead of a process.",
                 [](top_options& to, const std::string& v) { to.replay = v; }},
    known_option{"--openmetrics",
                 "FILE",
                 "Write totals at every look, for node_exporter's textfile collector.",
                 [](top_options& to, const std::string& v) { to.openmetrics = v; }},
    known_option{"--serve",
                 "PORT",
                 "Answer http://127.0.0.1:PORT/metrics while the process runs.",
                 [](top_options& to, const std::string& v) {
                   to.serve_port = static_cast<std::uint16_t>(
                       whole("--serve", v, 65535, "a port from 1 to 65535"));
                 }},
    known_option{"--reap",
                 "",
                 "Remove what killed programs left behind, and end.",
                 [](top_options& to, const std::string&) { to.wants_reap = true; }},
    known_option{"--help",
                 "",
                 "Print this.",
                 [](top_options& to, const std::string&) { to.wants_help = true; }},
};

const known_option& find(std::string_view name) {
  const auto found = std::ranges::find(known_options, name, &known_option::name);
  if (found != known_options.end()) {
    return *found;
  }
  const bool is_option = name.starts_with("-");
  throw error("there is no " + std::string(is_option ? "option " : "argument ") +
              std::string(name) +
              (is_option ? "; see weft top --help"
                         : "; to start a program type: weft top -- " + std::string(name)));
}

void check(const top_options& options) {
  const int num_targets = (options.pid ? 1 : 0) + (options.is_all ? 1 : 0) +
                          (options.replay ? 1 : 0) + (options.program.empty() ? 0 : 1);
  if (num_targets > 1) {
    throw error("--pid, --all, --replay and -- PROGRAM exclude each other; give one");
  }
  if (options.is_all && (options.record || options.openmetrics || options.serve_port)) {
    throw error(
        "--record, --openmetrics and --serve are about one process; give --pid "
        "instead of --all");
  }
  if (options.replay && (options.record || options.serve_port)) {
    throw error("a replay is neither recorded nor served; leave out --replay");
  }
}

}  // namespace

top_options parse_options(std::span<const char* const> arguments) {
  top_options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--") {
      options.program.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                             arguments.end());
      if (options.program.empty()) {
        throw error("no program after --; type: weft top -- PROGRAM ARGUMENTS");
      }
      break;
    }
    const std::size_t equals = argument.find('=');
    const known_option& known = find(argument == "-h" ? "--help" : argument.substr(0, equals));
    std::string value;
    if (!known.placeholder.empty() && equals != std::string_view::npos) {
      value = argument.substr(equals + 1);
    } else if (!known.placeholder.empty() && i + 1 < arguments.size()) {
      value = arguments[++i];
    } else if (known.placeholder.empty() == (equals != std::string_view::npos)) {
      throw error(std::string(known.name) + (known.placeholder.empty()
                                                 ? " takes no value"
                                                 : " needs a value: " + std::string(known.name) +
                                                       " " + std::string(known.placeholder)));
    }
    known.set(options, value);
  }
  check(options);
  return options;
}

std::string help_text() {
  std::string text =
      "Shows what the workers of a weft program are doing, at no cost to it.\n\n"
      "  weft top                          the one weft program that runs\n"
      "  weft top --pid PID                this one; also one that hangs or was killed\n"
      "  weft top -- PROGRAM ARGUMENTS     start one and watch it\n\n";
  for (const known_option& known : known_options) {
    std::string head = "  " + std::string(known.name);
    head += known.placeholder.empty() ? "" : " " + std::string(known.placeholder);
    head.resize(std::max<std::size_t>(head.size() + 1, 22), ' ');
    text += head + std::string(known.help) + "\n";
  }
  return text +
         "\nOn a terminal: q ends it. NO_COLOR=1 leaves colours out. Programs leave their counters "
         "in\nWEFT_STATS_DIR (/dev/shm); those that run with WEFT_STATS=off do not.\n"
         "Exit codes: 0 done; 1 failed; 2 wrong options; with -- PROGRAM that of the program.\n";
}

}  // namespace weft::top
