// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about names of addresses.
#include "top/symbols.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "counters/module_lines.hpp"

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

TEST(Symbols, new_names_are_handed_out_once) {
  symbols names;
  names.add_known({{1, "known"}});
  (void)names.name_of(1);
  (void)names.name_of(2);

  EXPECT_EQ(names.take_new().size(), 1u);
  EXPECT_TRUE(names.take_new().empty());
}

}  // namespace symbols_test
