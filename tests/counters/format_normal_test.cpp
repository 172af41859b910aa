// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about HPX's lines.
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/counters/counter.hpp"
#include "weft/counters/session.hpp"

#include "counters/planted_readings.hpp"
#include "counters/print/formats.hpp"

namespace format_normal_test {

using testing::HasSubstr;
using weft::counters::counter_kind;
using weft::counters::session_reading;
using weft::test::averaged;
using weft::test::counted;
using weft::test::evaluation_of;
using weft::test::missing;

std::string printed(session_reading reading, bool with_types = false) {
  return weft::counters::detail::make_normal_formatter(with_types)
      ->print(evaluation_of({std::move(reading)}), "");
}

TEST(FormatNormal, a_line_is_as_hpx_prints_it) {
  EXPECT_EQ(printed(counted("/threads{locality#0/total}/count/cumulative", 33)),
            "/threads{locality#0/total}/count/cumulative,2,1.500000001,[s],33\n");
  EXPECT_EQ(printed(averaged("/threads{locality#0/total}/time/average", 12.5, "ns")),
            "/threads{locality#0/total}/time/average,2,1.500000001,[s],12.5,[ns]\n");
}

TEST(FormatNormal, no_digit_of_a_value_is_lost) {
  EXPECT_THAT(printed(counted("/a/b", std::numeric_limits<std::int64_t>::max())),
              HasSubstr(",9223372036854775807\n"));
  EXPECT_THAT(printed(averaged("/a/b", 0.1 + 0.2, "s")), HasSubstr(",0.30000000000000004,[s]\n"));
}

TEST(FormatNormal, a_name_with_a_comma_is_quoted) {
  EXPECT_THAT(printed(counted("/arithmetics/add@/a/b,/c/d", 1)),
              HasSubstr("\"/arithmetics/add@/a/b,/c/d\",2,"));
}

TEST(FormatNormal, nothing_that_is_printed_commands_the_terminal) {
  const std::string line = weft::counters::detail::make_normal_formatter(false)->print(
      evaluation_of({missing("/a/b", "no \x1b[2Jreason")}), "phase \x1b]0;one\x07");

  EXPECT_EQ(line, "phase ?]0;one?\n/a/b,2,1.500000001,[s],unavailable (no ?[2Jreason)\n");
}

TEST(FormatNormal, the_kind_stands_behind_the_unit_if_wanted) {
  EXPECT_THAT(printed(counted("/a/b", 1, "ns"), true),
              HasSubstr(",1,[ns],counter_type::elapsed_time\n"));
  EXPECT_THAT(printed(counted("/a/b", 1), true),
              HasSubstr(",1,counter_type::monotonically_increasing\n"));
}

TEST(FormatNormal, a_sampled_value_says_how_good_it_is) {
  session_reading reading = averaged("/a/b", 200, "ns");
  reading.value.sampled = {.one_in = 64, .num_samples = 100, .half_width = 1.6};

  EXPECT_THAT(printed(reading), HasSubstr(",200,[ns] [sampled 1/64, +-0.8 %]\n"));
}

TEST(FormatNormal, a_sampled_zero_has_no_share) {
  session_reading reading = averaged("/a/b", 0, "ns");
  reading.value.sampled = {.one_in = 8, .num_samples = 1, .half_width = 2.5};

  EXPECT_THAT(printed(reading), HasSubstr("[sampled 1/8, +-2.5 ns]\n"));
}

TEST(FormatNormal, an_interval_that_nobody_knows_is_not_invented) {
  session_reading reading = averaged("/a/b", 5, "ns");
  reading.value.sampled = {
      .one_in = 8, .num_samples = 1, .half_width = std::numeric_limits<double>::infinity()};

  EXPECT_THAT(printed(reading), HasSubstr("[sampled 1/8, +-unknown]\n"));
}

TEST(FormatNormal, a_missing_value_has_its_reason) {
  EXPECT_EQ(printed(missing("/perf/cycles", "no PMU in this guest")),
            "/perf/cycles,2,1.500000001,[s],unavailable (no PMU in this guest)\n");
}

TEST(FormatNormal, the_numbers_of_an_array_have_colons_between) {
  const session_reading reading{.name = "/a/b",
                                .unit = "",
                                .kind = counter_kind::array,
                                .value = {.value = std::vector<std::int64_t>{1, -2, 3}}};

  EXPECT_THAT(printed(reading), HasSubstr(",1:-2:3\n"));
}

TEST(FormatNormal, a_histogram_is_its_sum_its_size_and_where_its_values_end) {
  EXPECT_THAT(
      printed(weft::test::recorded("/a/b", {.buckets = {{8, 90}, {16, 9}, {32, 1}}, .sum = 700})),
      HasSubstr(",sum=700:count=100:p50<8:p90<8:p99<16,[ns]\n"));
}

TEST(FormatNormal, a_description_comes_first) {
  const auto formatter = weft::counters::detail::make_normal_formatter(false);

  EXPECT_THAT(formatter->print(evaluation_of({counted("/a/b", 1)}), "after the sort"),
              testing::StartsWith("after the sort\n/a/b,2,"));
}

}  // namespace format_normal_test
