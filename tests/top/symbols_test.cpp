// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about names of addresses.
#include "top/symbols.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/segment/module_lines.hpp"
#include "tests/support/fake_root.hpp"

// Not in an unnamed namespace: the name is what is looked for.
[[gnu::noinline]] int function_with_a_symbol(int number) { return number + 1; }

namespace symbols_test {

using testing::HasSubstr;
using testing::StartsWith;
using weft::top::symbols;

template <class Function>
std::uint64_t address_of(Function* function) {
  return reinterpret_cast<std::uintptr_t>(function);
}

TEST(Symbols, a_function_of_this_program_has_its_name) {
  symbols names;
  names.set_modules(weft::counters::module_lines());

  EXPECT_EQ(names.name_of(address_of(function_with_a_symbol)), "function_with_a_symbol");
}

TEST(Symbols, a_function_of_a_library_is_found_in_its_file) {
  symbols names;
  names.set_modules(weft::counters::module_lines());

  // libc has several names for it
  EXPECT_THAT(names.name_of(address_of(std::abort)), HasSubstr("abort"));
}

TEST(Symbols, without_a_symbol_file_and_offset_must_do) {
  symbols names;
  names.set_modules("1000 2000 3000 /no/such/library.so\n");

  EXPECT_EQ(names.name_of(0x2345), "library.so+0x1345");
}

TEST(Symbols, what_lies_in_no_file_is_a_number) {
  symbols names;

  EXPECT_EQ(names.name_of(0xabc), "0xabc");
}

TEST(Symbols, modules_that_are_pipes_or_devices_are_not_opened) {
  (void)::alarm(60);
  const weft::test::fake_root root;
  const auto pipe = root.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  symbols names;
  names.set_modules("0 1000 2000 " + pipe.string() + "\n0 2000 3000 /dev/zero\n");

  EXPECT_EQ(names.name_of(0x1234), "pipe+0x1234");
  EXPECT_EQ(names.name_of(0x2345), "zero+0x2345");
  (void)::alarm(0);
}

TEST(Symbols, beyond_a_number_of_names_no_more_are_kept) {
  symbols names;

  for (std::uint64_t address = 0; address < 70'000; ++address) {
    (void)names.name_of(address);
  }

  EXPECT_EQ(names.take_new().size(), 65'536u);
  EXPECT_EQ(names.name_of(0xabcdef), "0xabcdef");
}

TEST(Symbols, new_names_are_handed_out_once) {
  symbols names;
  names.add_known({{1, "known"}});
  (void)names.name_of(1);
  (void)names.name_of(2);

  EXPECT_EQ(names.take_new().size(), 1u);
  EXPECT_TRUE(names.take_new().empty());
}

}  // namespace symbols_test
