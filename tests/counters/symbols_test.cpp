// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about names of functions in this program, in others', and where there are none.
#include "counters/trace/symbols.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/fake_root.hpp"

namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using weft::counters::detail::code_place;
using weft::counters::detail::parse_code_parts;
using weft::counters::detail::read_functions;
using weft::counters::detail::symbol_finder;

[[gnu::noinline]] int bake_bread(int loaves) { return loaves * 2; }

std::uint64_t address_of_bake_bread() { return reinterpret_cast<std::uint64_t>(&bake_bread); }

std::string own_maps() {
  std::ostringstream text;
  text << std::ifstream("/proc/self/maps").rdbuf();
  return text.str();
}

TEST(SymbolFinder, knows_local_functions_of_the_program_and_their_source) {
  const code_place place = symbol_finder(own_maps()).find(address_of_bake_bread());

  EXPECT_THAT(place.function, HasSubstr("bake_bread"));
  EXPECT_EQ(place.source_file, "symbols_test.cpp");
  EXPECT_THAT(place.text, HasSubstr("+0x"));
}

TEST(SymbolFinder, knows_functions_of_shared_libraries) {
  symbol_finder symbols(own_maps());

  const auto puts_address = reinterpret_cast<std::uint64_t>(&std::fputs);

  EXPECT_THAT(symbols.find(puts_address).function, HasSubstr("fputs"));
}

TEST(SymbolFinder, an_address_within_a_function_is_that_functions) {
  const code_place place = symbol_finder(own_maps()).find(address_of_bake_bread() + 1);

  EXPECT_THAT(place.function, HasSubstr("bake_bread"));
}

TEST(SymbolFinder, what_lies_in_no_file_is_a_number) {
  const code_place place = symbol_finder(own_maps()).find(0x10);

  EXPECT_THAT(place.function, IsEmpty());
  EXPECT_EQ(place.text, "0x10");
}

TEST(SymbolFinder, a_file_that_was_replaced_has_no_names) {
  const weft::test::fake_root root;
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  const auto copy = root.path() / "program";
  std::filesystem::copy_file(program, copy);
  std::string maps = own_maps();
  for (auto at = maps.find(program.string()); at != std::string::npos;
       at = maps.find(program.string(), at + copy.string().size())) {
    maps.replace(at, program.string().size(), copy.string());
  }

  const code_place place = symbol_finder(maps).find(address_of_bake_bread());

  EXPECT_THAT(place.function, IsEmpty());
  EXPECT_THAT(place.text, StartsWith("program+0x"));
}

TEST(ReadFunctions, files_without_symbols_have_none) {
  weft::test::fake_root root;
  root.write("text", "no ELF file at all").write("empty", "");

  for (const char* name : {"text", "empty", "missing"}) {
    EXPECT_THAT(read_functions((root.path() / name).string()), IsEmpty()) << name;
  }
}

TEST(ReadFunctions, a_file_that_was_cut_off_is_read_as_far_as_it_goes) {
  const weft::test::fake_root root;
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  const auto copy = root.path() / "program";
  std::filesystem::copy_file(program, copy);
  std::size_t num_before = read_functions(copy.string()).size();
  ASSERT_GT(num_before, 0u);
  for (const std::uintmax_t divisor : {2u, 3u, 10u, 1000u}) {
    std::filesystem::resize_file(copy, std::filesystem::file_size(copy) / divisor);
    const std::size_t num_left = read_functions(copy.string()).size();
    EXPECT_LE(num_left, num_before) << divisor;
    num_before = num_left;
  }
  EXPECT_EQ(num_before, 0u);
}

/// The first bytes of an ELF file with so many sections behind its header.
std::string elf_file(const std::vector<Elf64_Shdr>& sections, const std::string& rest) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof header;
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(sections.data()),
               sections.size() * sizeof(Elf64_Shdr));
  return bytes + rest;
}

TEST(ReadFunctions, a_named_pipe_and_a_device_have_none) {
  (void)::alarm(60);
  const weft::test::fake_root root;
  const auto pipe = root.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);

  EXPECT_THAT(read_functions(pipe.string()), IsEmpty());
  EXPECT_THAT(read_functions("/dev/zero"), IsEmpty());
  (void)::alarm(0);
}

TEST(ReadFunctions, a_file_that_the_user_may_not_read_has_none_on_the_users_behalf) {
  const weft::test::fake_root root;
  const auto copy = root.path() / "program";
  std::filesystem::copy_file(std::filesystem::read_symlink("/proc/self/exe"), copy);
  const std::uint64_t other = ::geteuid() + 1;

  std::filesystem::permissions(copy, std::filesystem::perms(0700));
  EXPECT_THAT(read_functions(copy.string(), other), IsEmpty());
  EXPECT_THAT(read_functions(copy.string(), ::geteuid()), Not(IsEmpty()));

  std::filesystem::permissions(copy, std::filesystem::perms(0755));
  EXPECT_THAT(read_functions(copy.string(), other), Not(IsEmpty()));
}

TEST(ReadFunctions, names_that_overlap_cannot_fill_the_memory) {
  constexpr std::size_t name_bytes = std::size_t{1} << 16U;
  constexpr std::size_t num_symbols = 4096;  // with names of 128 MiB together
  Elf64_Sym symbol{};
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_shndx = 1;
  std::string rest;
  for (std::size_t i = 0; i < num_symbols; ++i) {
    symbol.st_name = static_cast<Elf64_Word>(i * (name_bytes / num_symbols));
    rest.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
  }
  Elf64_Shdr symbols{};
  symbols.sh_type = SHT_SYMTAB;
  symbols.sh_link = 1;
  symbols.sh_offset = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Shdr);
  symbols.sh_size = rest.size();
  Elf64_Shdr names{};
  names.sh_offset = symbols.sh_offset + symbols.sh_size;
  names.sh_size = name_bytes;
  weft::test::fake_root root;
  root.write("elf", elf_file({symbols, names}, rest + std::string(name_bytes, 'x')));

  std::size_t num_kept = 0;
  for (const auto& function : read_functions((root.path() / "elf").string())) {
    num_kept += function.name.size();
  }

  EXPECT_GT(num_kept, 0u);
  EXPECT_LE(num_kept, 16 * name_bytes);
}

TEST(CodeParts, are_read_from_lines_of_maps) {
  const auto parts = parse_code_parts(
      "55d0c0a00000-55d0c0a05000 r-xp 00002000 fe:01 1234   /usr/bin/my program\n"
      "7fff00000000-7fff00001000 r-xp 00000000 00:00 0      [vdso]\n"
      "nonsense\n");

  ASSERT_THAT(parts, SizeIs(1));
  EXPECT_EQ(parts[0].first, 0x55d0c0a00000u);
  EXPECT_EQ(parts[0].end, 0x55d0c0a05000u);
  EXPECT_EQ(parts[0].file_offset_bytes, 0x2000u);
  EXPECT_EQ(parts[0].inode, 1234u);
  EXPECT_THAT(parts[0].file, EndsWith("/my program"));
}

}  // namespace
