// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the symbol tables of ELF files.
#include "counters/symbols.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "counters/mapped_file.hpp"

namespace weft::counters::detail {
namespace {

/// The bytes of an ELF file, whose own words about where things are need not be true.
class elf_image {
 public:
  /// Nothing if the file cannot be read or is no 64-bit ELF file.
  static std::optional<elf_image> open(const std::string& file) {
    const file_descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status = {};
    if (!opened.is_open() || fstat(opened.number(), &status) != 0) {
      return std::nullopt;
    }
    const auto num_bytes = static_cast<std::size_t>(status.st_size);
    elf_image image(
        mapping(mmap(nullptr, num_bytes, PROT_READ, MAP_PRIVATE, opened.number(), 0), num_bytes));
    const auto header = image.at<Elf64_Ehdr>(0);
    const bool is_elf = header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
                        header->e_ident[EI_CLASS] == ELFCLASS64;
    return is_elf ? std::optional(std::move(image)) : std::nullopt;
  }

  /// The structure that lies there; nothing if the file ends before.
  template <class Structure>
  [[nodiscard]] std::optional<Structure> at(std::uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<Structure>);
    const auto bytes = map_.bytes();
    if (offset > bytes.size() || bytes.size() - offset < sizeof(Structure)) {
      return std::nullopt;
    }
    Structure result;
    std::memcpy(&result, bytes.data() + offset, sizeof result);
    return result;
  }

  /// The zero-terminated text that lies there; empty if none does.
  [[nodiscard]] std::string text_at(std::uint64_t offset) const {
    const auto bytes = map_.bytes();
    if (offset >= bytes.size()) {
      return {};
    }
    const auto rest = bytes.subspan(offset);
    const auto end = std::ranges::find(rest, std::byte{0});
    return {reinterpret_cast<const char*>(rest.data()),
            static_cast<std::size_t>(end - rest.begin())};
  }

  template <class Structure>
  [[nodiscard]] std::vector<Structure> table(std::uint64_t offset, std::uint64_t num) const {
    std::vector<Structure> result;
    for (std::uint64_t i = 0; i < num; ++i) {
      const auto entry = at<Structure>(offset + i * sizeof(Structure));
      if (!entry) {
        break;
      }
      result.push_back(*entry);
    }
    return result;
  }

 private:
  explicit elf_image(mapping map) noexcept : map_(std::move(map)) {}

  mapping map_;
};

void add_functions(const elf_image& image,
                   const Elf64_Shdr& symbols,
                   const Elf64_Shdr& names,
                   std::vector<function_symbol>& functions) {
  std::string source_file;  // a table's local symbols follow the name of their source
  const std::uint64_t num = symbols.sh_size / sizeof(Elf64_Sym);
  for (const Elf64_Sym& symbol : image.table<Elf64_Sym>(symbols.sh_offset, num)) {
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    const bool is_local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
    if (type == STT_FILE) {
      source_file = image.text_at(names.sh_offset + symbol.st_name);
    } else if (type == STT_FUNC && symbol.st_shndx != SHN_UNDEF) {
      functions.push_back({.address = symbol.st_value,
                           .num_bytes = symbol.st_size,
                           .name = image.text_at(names.sh_offset + symbol.st_name),
                           .source_file = is_local ? source_file : std::string()});
    }
  }
}

std::vector<code_part> read_segments(const std::string& file) {
  std::vector<code_part> result;
  const auto image = elf_image::open(file);
  const auto header = image ? image->at<Elf64_Ehdr>(0) : std::nullopt;
  if (header) {
    for (const Elf64_Phdr& part : image->table<Elf64_Phdr>(header->e_phoff, header->e_phnum)) {
      if (part.p_type == PT_LOAD) {
        result.push_back({.first = part.p_vaddr,
                          .end = part.p_vaddr + part.p_filesz,
                          .file_offset_bytes = part.p_offset,
                          .file = file});
      }
    }
  }
  return result;
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 18> digits{};
  const auto [end, status] = std::to_chars(digits.begin(), digits.end(), number, 16);
  return "0x" + std::string(digits.begin(), end);
}

/// Reads a number up to `separator` and cuts both off `text`; nothing if there is none.
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

/// "55d0c0a00000-55d0c0a05000 r-xp 00002000 fe:01 1234   /usr/bin/program"
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

/// False if the file was replaced since its part was mapped.
bool is_same_file(const code_part& part) {
  struct stat status = {};
  return stat(part.file.c_str(), &status) == 0 && status.st_ino == part.inode;
}

}  // namespace

std::vector<function_symbol> read_functions(const std::string& file) {
  std::vector<function_symbol> result;
  const auto image = elf_image::open(file);
  const auto header = image ? image->at<Elf64_Ehdr>(0) : std::nullopt;
  if (!header) {
    return result;
  }
  const auto sections = image->table<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  // The full table holds what the dynamic one does.
  for (const std::uint32_t wanted : {std::uint32_t{SHT_SYMTAB}, std::uint32_t{SHT_DYNSYM}}) {
    for (const Elf64_Shdr& section : sections) {
      if (section.sh_type == wanted && section.sh_link < sections.size() && result.empty()) {
        add_functions(*image, section, sections[section.sh_link], result);
      }
    }
  }
  std::ranges::sort(result, {}, &function_symbol::address);
  return result;
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
  if (is_new && is_same_file(part)) {
    entry->second = {.functions = read_functions(part.file), .segments = read_segments(part.file)};
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
