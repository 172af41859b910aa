// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the table with a row per evaluation.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "counters/planted_readings.hpp"
#include "counters/print/formats.hpp"

namespace format_csv_test {

using weft::counters::detail::format_options;
using weft::counters::detail::make_csv_formatter;
using weft::counters::detail::print_format;
using weft::test::averaged;
using weft::test::counted;
using weft::test::evaluation_of;
using weft::test::missing;

format_options columns(std::vector<std::string> names) {
  return {.format = print_format::csv, .columns = std::move(names), .short_names = {}};
}

TEST(FormatCsv, columns_have_the_names_of_their_counters) {
  EXPECT_EQ(make_csv_formatter(columns({"/a/b", "/add@/a,/b"}))->begin(),
            "number,time,since_start_s,description,/a/b,\"/add@/a,/b\"\n");
}

TEST(FormatCsv, short_names_stand_for_long_ones) {
  format_options options = columns({"/a/b", "/c/d"});
  options.format = print_format::csv_short;
  options.short_names = {"tasks", "time"};

  EXPECT_EQ(make_csv_formatter(options)->begin(),
            "number,time,since_start_s,description,tasks,time\n");
}

TEST(FormatCsv, no_cell_commands_the_terminal) {
  const auto formatter = make_csv_formatter(columns({"/a/\x1b[2J"}));

  EXPECT_EQ(formatter->begin(), "number,time,since_start_s,description,/a/?[2J\n");
  EXPECT_THAT(formatter->print(evaluation_of({}), "\x1b[2J"), testing::HasSubstr(",?[2J,\n"));
}

TEST(FormatCsv, the_header_can_be_left_out) {
  format_options options = columns({"/a/b"});
  options.csv_header = false;

  EXPECT_EQ(make_csv_formatter(options)->begin(), "");
}

TEST(FormatCsv, a_row_has_the_moment_and_the_values_in_the_columns_order) {
  const auto formatter = make_csv_formatter(columns({"/a/b", "/c/d"}));

  EXPECT_EQ(
      formatter->print(evaluation_of({averaged("/c/d", 0.25, "ns"), counted("/a/b", 7)}), "x, y"),
      "2,2026-01-01T00:00:00.123456789Z,1.500000001,\"x, y\",7,0.25\n");
}

TEST(FormatCsv, what_has_no_value_is_an_empty_cell_never_zero) {
  const auto formatter = make_csv_formatter(columns({"/a/b", "/gone", "/c/d"}));

  EXPECT_THAT(formatter->print(evaluation_of({missing("/a/b", "no PMU"), counted("/c/d", 1)}), ""),
              testing::EndsWith(",,,,1\n"));
  EXPECT_TRUE(formatter->hides_reasons());
}

TEST(FormatCsv, quotes_in_a_cell_are_doubled) {
  EXPECT_EQ(weft::counters::detail::csv_cell("a\"b"), "\"a\"\"b\"");
}

}  // namespace format_csv_test
