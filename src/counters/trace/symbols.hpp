// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds names of functions by their address, in this process or in one that has ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::counters::detail {

/// A function in a program's symbol table.
struct function_symbol {
  std::uint64_t address = 0;  // in the file's own numbering
  std::uint64_t num_bytes = 0;
  std::string name;         // mangled
  std::string source_file;  // for local functions; empty: unknown
};

/// Returns the functions of an ELF file, exported or not, by address. Empty if it has none, or is
/// not an ELF file.
///
/// The file may be named by untrusted data, so it is opened by `open_untrusted`. At most 4 Mi
/// symbols and 512 MiB of names are read. Overlapping names are kept up to 16 times the size of
/// their table.
/// `on_behalf_of`: the user who named the file, see `untrusted_options`.
[[nodiscard]] std::vector<function_symbol> read_functions(
    const std::string& file, std::optional<std::uint64_t> on_behalf_of = std::nullopt);

/// A part of a file that is mapped as code.
struct code_part {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset_bytes = 0;
  std::uint64_t inode = 0;
  std::string file;
};

/// Reads lines in the format of /proc/self/maps. Skips malformed ones.
[[nodiscard]] std::vector<code_part> parse_code_parts(std::string_view maps);

/// The function and file at an address.
struct code_place {
  std::string function;     // mangled; empty: unknown
  std::string source_file;  // empty: unknown
  std::string text;         // "program+0x1234"
};

/// Finds symbols by address. Reads each file once, on behalf of the user who named the files.
class symbol_finder {
 public:
  explicit symbol_finder(std::string_view maps,
                         std::optional<std::uint64_t> on_behalf_of = std::nullopt)
      : parts_(parse_code_parts(maps)), on_behalf_of_(on_behalf_of) {}

  [[nodiscard]] code_place find(std::uint64_t address);
  [[nodiscard]] std::optional<std::uint64_t> on_behalf_of() const { return on_behalf_of_; }

 private:
  struct loaded_file {
    std::vector<function_symbol> functions;
    std::vector<code_part> segments;  // `first` and `end` are in the file's own numbering
  };
  loaded_file& load(const code_part& part);

  std::vector<code_part> parts_;
  std::optional<std::uint64_t> on_behalf_of_;
  std::map<std::string, loaded_file> files_;
};

}  // namespace weft::counters::detail
