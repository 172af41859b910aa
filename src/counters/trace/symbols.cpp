// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the symbol tables of ELF files.
#include "counters/trace/symbols.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <elf.h>

#include "counters/core/untrusted_file.hpp"

namespace weft::counters::detail {
namespace {

/// An ELF file, whose offsets may be wrong.
class elf_image {
 public:
  /// Returns nothing if the file cannot be read or is not a 64-bit ELF file.
  static std::optional<elf_image> open(const std::string& file,
                                       std::optional<std::uint64_t> on_behalf_of) {
    // Shared libraries are usually named by a link.
    opened_file opened =
        open_untrusted(file, {.link = last_link::followed, .on_behalf_of = on_behalf_of});
    const auto header = opened.file ? opened.file->at<Elf64_Ehdr>(0) : std::nullopt;
    const bool is_elf = header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
                        header->e_ident[EI_CLASS] == ELFCLASS64;
    return is_elf ? std::optional(elf_image(*std::move(opened.file), *header)) : std::nullopt;
  }

  [[nodiscard]] const Elf64_Ehdr& header() const noexcept { return header_; }
  [[nodiscard]] std::uint64_t inode() const noexcept { return file_.inode(); }

  /// Returns the entries of a table, up to the end of the file and at most `most`.
  template <class Entry>
  [[nodiscard]] std::vector<Entry> table(std::uint64_t offset,
                                         std::uint64_t num,
                                         std::uint64_t most) const {
    const std::uint64_t size_bytes = file_.size_bytes();
    const std::uint64_t rest = size_bytes - std::min(offset, size_bytes);
    std::vector<Entry> entries(std::min({num, most, rest / sizeof(Entry)}));
    const std::size_t num_bytes = file_.read(offset, std::as_writable_bytes(std::span(entries)));
    entries.resize(num_bytes / sizeof(Entry));
    return entries;
  }

 private:
  elf_image(untrusted_file file, const Elf64_Ehdr& header) noexcept
      : file_(std::move(file)), header_(header) {}

  untrusted_file file_;
  Elf64_Ehdr header_;
};

/// A table of texts, each with a zero behind it.
class name_table {
 public:
  static constexpr std::size_t most_bytes = std::size_t{1} << 29U;

  explicit name_table(std::vector<char> bytes)
      : bytes_(std::move(bytes)), left_(std::min(16 * bytes_.size(), 2 * most_bytes)) {}

  /// Returns the text at `offset`. Empty if there is none, or if all texts together are longer than
  /// any program's, because those of a damaged file may overlap.
  std::string at(std::uint64_t offset) {
    const std::string_view all(bytes_.data(), bytes_.size());
    const std::string_view rest = all.substr(std::min<std::uint64_t>(offset, all.size()));
    const std::string_view text = rest.substr(0, rest.find('\0'));
    const bool is_enough = text.size() <= left_;
    left_ -= is_enough ? text.size() : left_;
    return is_enough ? std::string(text) : std::string();
  }

 private:
  std::vector<char> bytes_;
  std::size_t left_;  // many functions may share a name, but not all of them a long one
};

/// A function with the offsets of its texts in the table of names: sorting it moves no strings.
struct unnamed_function {
  std::uint64_t address;
  std::uint64_t num_bytes;
  Elf64_Word name;
  Elf64_Word source_file;  // 0: not local, or unknown
};

/// Returns the functions of a symbol table by address.
std::vector<unnamed_function> unnamed_functions_in(const elf_image& image,
                                                   const Elf64_Shdr& symbols) {
  constexpr std::uint64_t most_symbols = std::uint64_t{1} << 22U;
  std::vector<unnamed_function> functions;
  // in a symbol table, the name of a source file precedes its local symbols
  Elf64_Word source_file = 0;
  const std::uint64_t num = symbols.sh_size / sizeof(Elf64_Sym);
  for (const Elf64_Sym& symbol : image.table<Elf64_Sym>(symbols.sh_offset, num, most_symbols)) {
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_FILE) {
      source_file = symbol.st_name;
    } else if (type == STT_FUNC && symbol.st_shndx != SHN_UNDEF) {
      const bool is_local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
      functions.push_back({.address = symbol.st_value,
                           .num_bytes = symbol.st_size,
                           .name = symbol.st_name,
                           .source_file = is_local ? source_file : 0});
    }
  }
  std::ranges::sort(functions, {}, &unnamed_function::address);
  return functions;
}

std::vector<function_symbol> functions_in(const elf_image& image,
                                          const Elf64_Shdr& symbols,
                                          const Elf64_Shdr& name_section) {
  name_table names(
      image.table<char>(name_section.sh_offset, name_section.sh_size, name_table::most_bytes));
  const std::vector<unnamed_function> unnamed = unnamed_functions_in(image, symbols);
  std::vector<function_symbol> functions;
  functions.reserve(unnamed.size());
  for (const unnamed_function& each : unnamed) {
    functions.push_back(
        {.address = each.address,
         .num_bytes = each.num_bytes,
         .name = names.at(each.name),
         .source_file = each.source_file == 0 ? std::string() : names.at(each.source_file)});
  }
  return functions;
}

std::vector<function_symbol> functions_of(const elf_image& image) {
  constexpr std::uint64_t most = std::numeric_limits<Elf64_Half>::max();
  const Elf64_Ehdr& header = image.header();
  const auto sections = image.table<Elf64_Shdr>(header.e_shoff, header.e_shnum, most);
  std::vector<function_symbol> result;
  // The full table contains the dynamic one. A file has one table of each kind.
  for (const std::uint32_t wanted : {std::uint32_t{SHT_SYMTAB}, std::uint32_t{SHT_DYNSYM}}) {
    const auto section = std::ranges::find(sections, wanted, &Elf64_Shdr::sh_type);
    if (section != sections.end() && section->sh_link < sections.size() && result.empty()) {
      result = functions_in(image, *section, sections[section->sh_link]);
    }
  }
  return result;
}

std::vector<code_part> segments_of(const elf_image& image, const std::string& file) {
  constexpr std::uint64_t most = std::numeric_limits<Elf64_Half>::max();
  const Elf64_Ehdr& header = image.header();
  std::vector<code_part> result;
  for (const Elf64_Phdr& part : image.table<Elf64_Phdr>(header.e_phoff, header.e_phnum, most)) {
    if (part.p_type == PT_LOAD) {
      result.push_back({.first = part.p_vaddr,
                        .end = part.p_vaddr + part.p_filesz,
                        .file_offset_bytes = part.p_offset,
                        .file = file});
    }
  }
  return result;
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 18> digits{};
  const auto [end, status] = std::to_chars(digits.begin(), digits.end(), number, 16);
  return "0x" + std::string(digits.begin(), end);
}

/// Reads a number up to `separator` and removes both from `text`; nothing if there is none.
std::optional<std::uint64_t> cut_number(std::string_view& text, int base, char separator) {
  std::uint64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  const auto num_read = static_cast<std::size_t>(end - text.data());
  if (status != std::errc{} || num_read == text.size() || text[num_read] != separator) {
    return std::nullopt;
  }
  text.remove_prefix(num_read + 1);
  return number;
}

/// Parses "55d0c0a00000-55d0c0a05000 r-xp 00002000 fe:01 1234   /usr/bin/program".
std::optional<code_part> parse_code_part(std::string_view line) {
  constexpr std::size_t mode_size = 5;  // "r-xp "
  const auto first = cut_number(line, 16, '-');
  const auto end = first ? cut_number(line, 16, ' ') : std::nullopt;
  line.remove_prefix(std::min(line.size(), mode_size));
  const auto offset = end ? cut_number(line, 16, ' ') : std::nullopt;
  const auto device = line.find(' ');
  const auto path = line.find('/');
  if (!offset || device == std::string_view::npos || path == std::string_view::npos) {
    return std::nullopt;
  }
  std::string_view behind_device = line.substr(device + 1);
  const auto inode = cut_number(behind_device, 10, ' ');
  return code_part{.first = *first,
                   .end = *end,
                   .file_offset_bytes = *offset,
                   .inode = inode.value_or(0),
                   .file = std::string(line.substr(path))};
}

}  // namespace

std::vector<function_symbol> read_functions(const std::string& file,
                                            std::optional<std::uint64_t> on_behalf_of) {
  const auto image = elf_image::open(file, on_behalf_of);
  return image ? functions_of(*image) : std::vector<function_symbol>();
}

std::vector<code_part> parse_code_parts(std::string_view maps) {
  std::vector<code_part> result;
  while (!maps.empty()) {
    const auto line_end = std::min(maps.find('\n'), maps.size());
    if (auto part = parse_code_part(maps.substr(0, line_end))) {
      result.push_back(*std::move(part));
    }
    maps.remove_prefix(std::min(maps.size(), line_end + 1));
  }
  return result;
}

symbol_finder::loaded_file& symbol_finder::load(const code_part& part) {
  const auto [entry, is_new] = files_.try_emplace(part.file);
  const auto image = is_new ? elf_image::open(part.file, on_behalf_of_) : std::nullopt;
  // another inode means that the file was replaced since the part was mapped
  if (image && image->inode() == part.inode) {
    entry->second = {.functions = functions_of(*image), .segments = segments_of(*image, part.file)};
  }
  return entry->second;
}

code_place symbol_finder::find(std::uint64_t address) {
  const auto contains = [](std::uint64_t wanted) {
    return [wanted](const code_part& part) { return part.first <= wanted && wanted < part.end; };
  };
  const auto part = std::ranges::find_if(parts_, contains(address));
  if (part == parts_.end()) {
    code_place unknown;
    unknown.text = hexadecimal(address);
    return unknown;
  }
  const std::uint64_t offset = address - part->first + part->file_offset_bytes;
  code_place place;
  place.text = std::filesystem::path(part->file).filename().string() + '+' + hexadecimal(offset);
  const loaded_file& file = load(*part);
  const auto segment = std::ranges::find_if(file.segments, [&](const code_part& each) {
    return each.file_offset_bytes <= offset &&
           offset < each.file_offset_bytes + each.end - each.first;
  });
  if (segment == file.segments.end()) {
    return place;
  }
  const std::uint64_t wanted = offset - segment->file_offset_bytes + segment->first;
  const auto behind =
      std::ranges::upper_bound(file.functions, wanted, {}, &function_symbol::address);
  if (behind != file.functions.begin()) {
    const function_symbol& found = *std::prev(behind);
    if (wanted == found.address || wanted < found.address + found.num_bytes) {
      place.function = found.name;
      place.source_file = found.source_file;
    }
  }
  return place;
}

}  // namespace weft::counters::detail
