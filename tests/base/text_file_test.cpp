// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the readers of /proc and /sys files.
#include "weft/base/text_file.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_root.hpp"

namespace text_file_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CpuList, ranges_and_single_ids_are_expanded_in_order) {
  EXPECT_THAT(weft::base::parse_cpu_list("8,0-3,10-11"), ElementsAre(0, 1, 2, 3, 8, 10, 11));
}

TEST(CpuList, empty_or_malformed_text_gives_no_ids) {
  for (const char* text : {"", "a", "3-1", "1-", "-1", "0-99999999999", "0-9999999"}) {
    EXPECT_THAT(weft::base::parse_cpu_list(text), IsEmpty()) << '"' << text << '"';
  }
}

TEST(TextFile, a_missing_file_reads_as_nothing) {
  const weft::test::fake_root root;

  EXPECT_EQ(weft::base::read_text(root.path() / "none"), std::nullopt);
  EXPECT_EQ(weft::base::read_integer(root.path() / "none"), std::nullopt);
  EXPECT_THAT(weft::base::read_lines(root.path() / "none"), IsEmpty());
}

TEST(TextFile, trailing_white_space_is_dropped_and_leading_blanks_do_not_hide_an_integer) {
  weft::test::fake_root root;
  root.write("number", "  42 kB \n");

  EXPECT_EQ(weft::base::read_text(root.path() / "number"), "  42 kB");
  EXPECT_EQ(weft::base::read_integer(root.path() / "number"), 42);
}

TEST(TextFile, text_without_a_number_has_no_integer) {
  EXPECT_EQ(weft::base::parse_integer("max"), std::nullopt);
  EXPECT_EQ(weft::base::parse_integer(""), std::nullopt);
}

TEST(KeyedValue, the_key_is_whole_and_blanks_around_the_colon_do_not_matter) {
  const std::vector<std::string> lines{
      "model name\t: AMD", "model\t\t: 2", "empty:", "MemTotal:   8 kB"};

  EXPECT_EQ(weft::base::keyed_value(lines, "model"), "2");
  EXPECT_EQ(weft::base::keyed_value(lines, "model name"), "AMD");
  EXPECT_EQ(weft::base::keyed_value(lines, "empty"), "");
  EXPECT_EQ(weft::base::keyed_value(lines, "MemTotal"), "8 kB");
  EXPECT_EQ(weft::base::keyed_value(lines, "Mem"), std::nullopt);
}

}  // namespace text_file_test
