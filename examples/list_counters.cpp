// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists counters and prints what they read: list_counters [PATTERN]...
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/base/error.hpp>
#include <weft/counters/registry.hpp>
#include <weft/counters/session.hpp>
#include <weft/tasks/parallel_for.hpp>
#include <weft/tasks/runtime.hpp>

namespace {

constexpr std::size_t num_tasks = 1000;

/// The names that the arguments mean; an argument that means nothing is an error.
std::vector<std::string> names_meant_by(std::span<char*> patterns) {
  std::vector<std::string> names;
  for (const char* pattern : patterns) {
    for (std::string& name : weft::counters::discover(pattern)) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace

int main(int argc, char** argv) try {
  weft::init(argc, argv);  // --weft:list-counters lists all
  std::vector<std::string> names = names_meant_by({argv + 1, argv + argc});
  if (names.empty()) {
    names = weft::counters::discover("/threads{locality#0/total}/time/*");
  }

  weft::counters::session session(names);  // totals count from here on
  weft::parallel_for(num_tasks, [](std::size_t) {}, {.grain = 1});

  for (const weft::counters::session_reading& each : session.evaluate().values) {
    std::printf("%s: %s\n", each.name.c_str(), to_string(each).c_str());
  }
} catch (const weft::error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 2;
}
