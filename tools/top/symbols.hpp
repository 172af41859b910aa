// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of functions of another process, from the symbol tables of its files.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/trace/symbols.hpp"

namespace weft::top {

/// Names addresses of a process whose module lines are given, dead or alive.
///
/// Cost:    a file's tables are read when the first of its addresses is asked for; none any more
///          after 5 s of that. At most 4096 modules and 65536 names are kept.
/// Errors:  none: what has no symbol is called by file and offset, what lies in no file by number.
/// Example: tests/top/symbols_test.cpp: a_function_of_this_program_has_its_name.
class symbols {
 public:
  /// Takes the lines of a file of counters, again when they have changed, and the user who wrote
  /// them: files that this user could not read are not opened.
  void set_modules(std::string_view lines, std::optional<std::uint64_t> written_by = std::nullopt);
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
  std::optional<std::uint64_t> written_by_;
  std::chrono::steady_clock::duration spent_{0};  // on reading files
  std::string not_kept_;                          // a name, up to the next call
  std::vector<module> modules_;
  std::map<std::filesystem::path, std::vector<function_symbol>> functions_;  // by address
  std::map<std::uint64_t, std::string> names_;
  std::map<std::uint64_t, std::string> new_;
};

}  // namespace weft::top
