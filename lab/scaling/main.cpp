// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts how many cache lines move between threads in operations of the runtime.
//
// `weft_lines 64` prints one JSON line for each operation on 64 workers; `weft_lines 64 steal` only
// that one, and which instructions moved the lines.
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "weft/base/error.hpp"
#include "weft/tasks/runtime.hpp"

#include "lab/scaling/line_directory.hpp"
#include "lab/scaling/operations.hpp"

namespace {

using namespace weft::lab::scaling;

constexpr int most_workers = 1024;
constexpr std::size_t most_sites_shown = 12;

int number_in(std::string_view text) {
  int value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || value < 1 ||
      value > most_workers) {
    throw weft::error("\"" + std::string(text) + "\" is no number of workers: give 1 to " +
                      std::to_string(most_workers) + ", for example weft_lines 64");
  }
  return value;
}

void print(const operation& what, int num_workers, const counted& found) {
  const std::string name(what.name);
  const auto each = [&](std::uint64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(found.num_operations);
  };
  if (found.num_operations == 0) {
    std::printf(
        "{\"operation\": \"%s\", \"workers\": %d, \"operations\": 0}\n", name.c_str(), num_workers);
  } else {
    std::printf(
        "{\"operation\": \"%s\", \"workers\": %d, \"operations\": %llu, \"lines\": %.3f, "
        "\"read\": %.3f, \"written\": %.3f, \"invalidated\": %.3f}\n",
        name.c_str(),
        num_workers,
        static_cast<unsigned long long>(found.num_operations),
        each(found.lines.moved()),
        each(found.lines.reads),
        each(found.lines.writes),
        each(found.lines.invalidated));
  }
  std::fflush(stdout);
}

void print_sites(const counted& found) {
  std::size_t num_left = most_sites_shown;
  for (const line_site& each : counted_sites()) {
    if (num_left-- == 0) {
      break;
    }
    std::fprintf(stderr,
                 "%10.3f per operation at %p\n",
                 static_cast<double>(each.moved) / static_cast<double>(found.num_operations),
                 each.instruction);
  }
}

int run(std::span<char*> arguments) {
  if (arguments.size() < 2 || arguments.size() > 3) {
    throw weft::error("give the number of workers, and perhaps an operation: weft_lines 64 steal");
  }
  const int num_workers = number_in(arguments[1]);
  const std::string_view only = arguments.size() == 3 ? arguments[2] : "";
  bool is_known = only.empty();
  weft::default_runtime().resize(num_workers);
  for (const operation& each : operations()) {
    if (only.empty() || each.name == only) {
      is_known = true;
      const counted found = each.count();
      print(each, num_workers, found);
      if (!only.empty()) {
        print_sites(found);
      }
    }
  }
  if (!is_known) {
    std::string names;
    for (const operation& each : operations()) {
      names += " " + std::string(each.name);
    }
    throw weft::error("no operation \"" + std::string(only) + "\": known are" + names);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  return run({argv, static_cast<std::size_t>(argc)});
} catch (const weft::error& problem) {
  static_cast<void>(std::fprintf(stderr, "weft_lines: %s\n", problem.what()));
  return 2;
}
