// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads ELF symbol tables, which need no library.
#include "top/symbols.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include "top/labels.hpp"

namespace weft::top {

namespace {

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto [end, code] = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return "0x" + std::string(digits.data(), end);
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? std::string(text.get()) : name;
}

/// Cuts a hexadecimal number and the blank behind it off `text`.
std::uint64_t cut_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  const auto used = static_cast<std::size_t>(end - text.data());
  text.remove_prefix(std::min(used + 1, text.size()));
  return number;
}

/// A file's bytes, of which any part may be asked for.
class elf_file {
 public:
  explicit elf_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
    if (size > 0) {
      bytes_.resize(static_cast<std::size_t>(size));
      file.seekg(0);
      file.read(bytes_.data(), size);
    }
  }

  /// The part at `offset`; empty if the file has no such part.
  [[nodiscard]] std::span<const char> part(std::uint64_t offset, std::uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset
               ? std::span(bytes_).subspan(offset, size)
               : std::span<const char>();
  }

  /// Nothing is copied, and false returned, if the file has no such part.
  template <class Part>
  [[nodiscard]] bool copy(std::uint64_t offset, Part& to) const {
    const std::span from = part(offset, sizeof(Part));
    if (!from.empty()) {
      std::memcpy(&to, from.data(), sizeof(Part));
    }
    return !from.empty();
  }

  [[nodiscard]] std::vector<ElfW(Shdr)> sections() const {
    ElfW(Ehdr) header{};
    std::vector<ElfW(Shdr)> found;
    if (!copy(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_shentsize != sizeof(ElfW(Shdr))) {
      return found;
    }
    ElfW(Shdr) section{};
    for (std::uint64_t i = 0;
         i < header.e_shnum && copy(header.e_shoff + (i * sizeof section), section);
         ++i) {
      found.push_back(section);
    }
    return found;
  }

 private:
  std::vector<char> bytes_;
};

std::string_view text_at(std::span<const char> strings, std::size_t offset) {
  if (offset >= strings.size()) {
    return {};
  }
  const std::span rest = strings.subspan(offset);
  return {rest.data(), static_cast<std::size_t>(std::ranges::find(rest, '\0') - rest.begin())};
}

}  // namespace

void symbols::set_modules(std::string_view lines) {
  if (lines == lines_) {
    return;
  }
  lines_ = lines;
  modules_.clear();
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    module made{.bias = cut_number(line), .low = cut_number(line), .high = cut_number(line)};
    made.path = line;
    modules_.push_back(std::move(made));
  }
}

void symbols::add_known(const std::map<std::uint64_t, std::string>& known) {
  names_.insert(known.begin(), known.end());
}

const std::string& symbols::name_of(std::uint64_t address) {
  const auto known = names_.find(address);
  if (known != names_.end()) {
    return known->second;
  }
  const std::string& name = names_[address] = find(address);
  new_[address] = name;
  return name;
}

std::map<std::uint64_t, std::string> symbols::take_new() { return std::exchange(new_, {}); }

std::string symbols::find(std::uint64_t address) {
  const auto in = std::ranges::find_if(
      modules_, [&](const module& m) { return address >= m.low && address < m.high; });
  if (in == modules_.end()) {
    return hexadecimal(address);
  }
  const std::uint64_t in_file = address - in->bias;
  const std::vector<function>& functions = functions_of(in->path);
  const auto behind =
      std::ranges::upper_bound(functions, in_file, {}, [](const function& f) { return f.first; });
  if (behind != functions.begin() && in_file < std::prev(behind)->last) {
    return readable_label(demangled(std::prev(behind)->mangled));
  }
  return in->path.filename().string() + "+" + hexadecimal(in_file);
}

const std::vector<symbols::function>& symbols::functions_of(const std::filesystem::path& path) {
  const auto known = functions_.find(path);
  return known != functions_.end() ? known->second
                                   : functions_.emplace(path, read_functions(path)).first->second;
}

std::vector<symbols::function> symbols::read_functions(const std::filesystem::path& path) {
  const elf_file file(path);
  const std::vector<ElfW(Shdr)> sections = file.sections();
  std::vector<function> functions;
  for (const ElfW(Shdr) & section : sections) {
    if ((section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) ||
        section.sh_link >= sections.size()) {
      continue;
    }
    const ElfW(Shdr)& names = sections[section.sh_link];
    const std::span strings = file.part(names.sh_offset, names.sh_size);
    ElfW(Sym) symbol{};
    for (std::uint64_t at = 0; at + sizeof symbol <= section.sh_size; at += sizeof symbol) {
      if (file.copy(section.sh_offset + at, symbol) && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
          symbol.st_size != 0) {
        functions.push_back({.first = symbol.st_value,
                             .last = symbol.st_value + symbol.st_size,
                             .mangled = std::string(text_at(strings, symbol.st_name))});
      }
    }
  }
  std::ranges::sort(functions, {}, &function::first);
  return functions;
}

}  // namespace weft::top
