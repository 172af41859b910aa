// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints docs/reference/counters.md, or tells whether a file is that.
#include <cstddef>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include "weft/base/text_file.hpp"
#include "weft/counters/registry.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "page.hpp"

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

int run(std::span<char*> arguments) {
  weft::runtime_options one_worker;
  one_worker.name = "default";
  one_worker.workers = 1;
  weft::runtime shown(one_worker);
  shown.run([] {});  // from here on its worker's thread is known
  const std::string page = weft::reference::counter_page(weft::counters::process_counters());
  if (arguments.size() == 1) {
    std::cout << page;
    return 0;
  }
  if (arguments.size() == 3 && std::string_view(arguments[1]) == "--check") {
    return check(page, arguments[2], arguments[0]);
  }
  std::cerr << "usage: " << arguments[0] << " [--check FILE]\n";
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
