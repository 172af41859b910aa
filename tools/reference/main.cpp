// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints docs/reference/counters.md or options.md, or tells whether a file is that.
#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include <unistd.h>

#include "weft/base/text_file.hpp"
#include "weft/counters/registry.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "page.hpp"
#include "tasks/runtime/runtime_options.hpp"

namespace {

constexpr int exit_usage = 2;

int check(const std::string& page, const std::string& path, const std::string& program) {
  const auto text = weft::base::read_text(path);  // without the last line's end
  if (!text) {
    std::cerr << path << " cannot be read; type: " << program << " > " << path << '\n';
    return 1;
  }
  const std::string difference = weft::reference::first_difference(page, *text + '\n');
  if (!difference.empty()) {
    std::cerr << path << " is out of date: " << difference << "type: " << program << " > " << path
              << '\n';
    return 1;
  }
  return 0;
}

/// What `--weft:help` prints here.
std::string option_page() {
  std::string program = "program";
  std::string help = "--weft:help";
  std::array<char*, 3> arguments{program.data(), help.data(), nullptr};
  int count = 2;
  const weft::init_result result = weft::try_init(count, arguments.data());
  const auto num_cpus = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return weft::reference::option_page(result.text, weft::tasks::detail::most_workers(num_cpus));
}

std::string counter_page() {
  weft::runtime_options one_worker;
  one_worker.name = "default";
  one_worker.workers = 1;
  weft::runtime shown(one_worker);
  shown.run([] {});  // from here on its worker's thread is known
  return weft::reference::counter_page(weft::counters::process_counters());
}

int run(std::span<char*> arguments) {
  const std::string program = arguments.front();
  const bool is_options = arguments.size() > 1 && std::string_view(arguments[1]) == "--options";
  const std::span<char*> rest = arguments.subspan(is_options ? 2 : 1);
  const std::string page = is_options ? option_page() : counter_page();
  if (rest.empty()) {
    std::cout << page;
    return 0;
  }
  if (rest.size() == 2 && std::string_view(rest[0]) == "--check") {
    return check(page, rest[1], program + (is_options ? " --options" : ""));
  }
  std::cerr << "usage: " << program << " [--options] [--check FILE]\n";
  return exit_usage;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv, static_cast<std::size_t>(argc)});
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
