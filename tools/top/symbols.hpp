// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of functions of another process, from the symbol tables of its files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "counters/symbols.hpp"

namespace weft::top {

/// Names addresses of a process whose module lines are given, dead or alive.
///
/// Cost:    a file's tables are read when the first of its addresses is asked for.
/// Errors:  none: what has no symbol is called by file and offset, what lies in no file by number.
/// Example: tests/top/symbols_test.cpp: a_function_of_this_program_has_its_name.
class symbols {
 public:
  /// Takes the lines of a file of counters, again when they have changed.
  void set_modules(std::string_view lines);
  /// Takes names that somebody else found.
  void add_known(const std::map<std::uint64_t, std::string>& known);

  [[nodiscard]] const std::string& name_of(std::uint64_t address);

  /// The names that were found since the last call.
  [[nodiscard]] std::map<std::uint64_t, std::string> take_new();

 private:
  struct module {
    std::uint64_t bias = 0;
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::filesystem::path path = {};
  };
  using function_symbol = counters::detail::function_symbol;

  [[nodiscard]] std::string find(std::uint64_t address);
  [[nodiscard]] const std::vector<function_symbol>& functions_of(const std::filesystem::path& path);

  std::string lines_;
  std::vector<module> modules_;
  std::map<std::filesystem::path, std::vector<function_symbol>> functions_;  // by address
  std::map<std::uint64_t, std::string> names_;
  std::map<std::uint64_t, std::string> new_;
};

}  // namespace weft::top
