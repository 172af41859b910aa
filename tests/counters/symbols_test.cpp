// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about names of functions in this program, in others', and where there are none.
#include "counters/symbols.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_root.hpp"

namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
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
  for (const std::uintmax_t divisor : {2u, 3u, 10u, 1000u}) {
    std::filesystem::resize_file(copy, std::filesystem::file_size(copy) / divisor);
    static_cast<void>(read_functions(copy.string()));
  }
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
