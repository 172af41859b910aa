// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about numbers, times and texts as counters are printed.
#include "counters/print/number_text.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace number_text_test {

using namespace weft::counters::detail;

TEST(NumberText, the_shortest_text_gives_the_number_again) {
  for (const double value : {0.1, 1.0 / 3, 1e300, 5e-324, 123456789.123}) {
    EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value);
  }
  EXPECT_EQ(shortest(0.1), "0.1");
}

TEST(NumberText, bounds_of_buckets_are_as_openmetrics_wants_them) {
  EXPECT_EQ(canonical(1), "1.0");
  EXPECT_EQ(canonical(0), "0.0");
  EXPECT_EQ(canonical(0.25), "0.25");
  EXPECT_EQ(canonical(1e-4), "0.0001");
  EXPECT_EQ(canonical(1.5e-5), "1.5e-05");
  EXPECT_EQ(canonical(999999), "999999.0");
  EXPECT_EQ(canonical(1e6), "1e+06");
  EXPECT_EQ(canonical(1234567), "1.234567e+06");
  EXPECT_EQ(canonical(HUGE_VAL), "+Inf");
  EXPECT_EQ(canonical(std::numeric_limits<double>::quiet_NaN()), "NaN");
}

TEST(NumberText, thousands_are_set_apart) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(grouped(-123), "-123");
}

TEST(NumberText, a_time_for_people_has_three_digits) {
  EXPECT_EQ(human_time_ns(12), "12 ns");
  EXPECT_EQ(human_time_ns(1234), "1.23 us");
  EXPECT_EQ(human_time_ns(12'340'000), "12.3 ms");
  EXPECT_EQ(human_time_ns(999'900'000), "1.00 s");
  EXPECT_EQ(human_time_ns(123e9), "123 s");
}

TEST(NumberText, bytes_for_people_have_a_unit) {
  EXPECT_EQ(human_bytes(512), "512 B");
  EXPECT_EQ(human_bytes(1536), "1.50 KiB");
  EXPECT_EQ(human_bytes(123.4 * 1024 * 1024), "123 MiB");
}

TEST(NumberText, seconds_have_nine_digits_behind_the_point) {
  EXPECT_EQ(seconds_text(std::chrono::nanoseconds(1'000'000'002)), "1.000000002");
  EXPECT_EQ(seconds_text(std::chrono::nanoseconds(0)), "0.000000000");
}

TEST(NumberText, a_text_for_json_has_nothing_left_to_escape) {
  EXPECT_EQ(json_string("a\"b\\c\nd\x1f"), R"("a\"b\\c\u000ad\u001f")");
}

TEST(NumberText, a_text_for_json_is_utf_8_and_commands_no_terminal) {
  EXPECT_EQ(json_string("\x7f \xc2\x9b \xff \xc3\xa4"), "\"? ?? ? \xc3\xa4\"");
}

}  // namespace number_text_test
