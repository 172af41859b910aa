// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about counters as OpenMetrics text. The kept text is read by another library's strict
// parser in tests/python/checks/test_openmetrics.py.
#include "weft/counters/openmetrics.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/counters/counter.hpp"
#include "weft/counters/session.hpp"

#include "counters/planted_readings.hpp"
#include "tests/support/paths.hpp"

namespace openmetrics_test {

using testing::HasSubstr;
using testing::Not;
using weft::counters::counter_kind;
using weft::counters::openmetrics_text;
using weft::counters::session_reading;
using weft::test::averaged;
using weft::test::counted;
using weft::test::evaluation_of;
using weft::test::missing;

std::string no_help(const std::string& /*type_name*/) { return {}; }

std::string printed(std::vector<session_reading> readings) {
  return openmetrics_text(evaluation_of(std::move(readings)), no_help);
}

/// Every kind of counter, name and value that there is.
std::vector<session_reading> everything() {
  session_reading array = counted("/threads{locality#0/total}/chunks", 0);
  array.kind = counter_kind::array;
  array.value.value = std::vector<std::int64_t>{3, 4};
  return {
      counted("/threads{locality#0/total}/count/cumulative", 9007199254740993),
      counted("/threads{locality#0/pool#default/worker-thread#0}/count/cumulative", 5),
      counted("/threads{locality#0/pool#default/worker-thread#1}/count/cumulative", 6),
      counted("/threads{locality#0/total}/time/cumulative", 1'234'567'890, "ns"),
      averaged("/threads{locality#0/total}/idle-rate", 1234, "0.01%"),
      averaged("/runtime{locality#0/total}/memory/resident", 4096, "bytes"),
      averaged(
          "/statistics{/threads{locality#0/worker-thread#2}/time/average}/max@100,0", 2500, "ns"),
      averaged("/odd{locality#0/disk}/value@\"a\\b\"", 1.5, "furlongs"),
      array,
      weft::test::recorded("/threads{locality#0/total}/histogram/task-duration",
                           {.buckets = {{1000, 2.25}, {2000, 0}, {2e15, 1.5}}, .sum = 4500}),
      missing("/perf{locality#0/total}/cycles", "no \"PMU\"\nin this guest")};
}

TEST(OpenMetrics, a_name_becomes_a_metric_with_labels) {
  EXPECT_THAT(
      printed(
          {counted("/threads{locality#2/worker-thread#3}/time/cumulative", 1'500'000'000, "ns")}),
      HasSubstr("# TYPE weft_threads_time_cumulative_seconds counter\n"
                "# UNIT weft_threads_time_cumulative_seconds seconds\n"
                "weft_threads_time_cumulative_seconds_total{rank=\"2\",worker=\"3\"} 1.5\n"));
}

TEST(OpenMetrics, every_kind_of_value_is_as_the_kept_text_has_it) {
  std::ifstream kept(weft::test::beside_this_program(WEFT_OPENMETRICS_TEXT));
  const std::string expected{std::istreambuf_iterator<char>(kept), {}};
  const auto help = [](const std::string& type) {
    return type == "/threads/count/cumulative" ? "Tasks \"run\" to\nthe end \\o/." : std::string();
  };

  EXPECT_EQ(openmetrics_text(evaluation_of(everything()), help), expected);
}

TEST(OpenMetrics, a_whole_number_loses_no_digit) {
  EXPECT_THAT(printed({counted("/a/b", std::numeric_limits<std::int64_t>::max())}),
              HasSubstr("weft_a_b_total 9223372036854775807\n"));
}

TEST(OpenMetrics, shares_are_ratios) {
  EXPECT_THAT(printed({averaged("/threads/idle-rate", 10000, "0.01%")}),
              HasSubstr("weft_threads_idle_rate_ratio 1.0\n"));
}

TEST(OpenMetrics, clocks_are_in_hertz) {
  EXPECT_THAT(printed({averaged("/cuda{locality#0/device#1}/clock/sm", 1980, "MHz")}),
              HasSubstr("weft_cuda_clock_sm_hertz{rank=\"0\",device=\"1\"} 1.98e+09\n"));
}

TEST(OpenMetrics, a_counter_given_twice_is_one) {
  const std::string text = printed({counted("/a/b", 1), counted("/a/b", 1)});

  EXPECT_EQ(text.find("weft_a_b_total 1"), text.rfind("weft_a_b_total 1"));
}

TEST(OpenMetrics, lines_of_a_metric_stand_together) {
  EXPECT_THAT(printed({counted("/a{locality#0/total}/x", 1),
                       counted("/a{locality#0/total}/y", 2),
                       counted("/a{locality#1/total}/x", 3)}),
              HasSubstr("weft_a_x_total{rank=\"0\"} 1\nweft_a_x_total{rank=\"1\"} 3\n"));
}

TEST(OpenMetrics, what_is_missing_is_named_with_its_reason_and_has_no_line) {
  const std::string text = printed({missing("/a/b", "no PMU")});

  EXPECT_THAT(text, HasSubstr("weft_counter_unavailable{counter=\"/a/b\",reason=\"no PMU\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("weft_a_b")));
}

TEST(OpenMetrics, a_total_that_no_total_can_be_is_missing) {
  session_reading negative = counted("/a/b", -1);
  session_reading no_number = counted("/c/d", 0);
  no_number.value.value = std::numeric_limits<double>::quiet_NaN();

  const std::string text = printed({negative, no_number});

  EXPECT_THAT(text, Not(HasSubstr("weft_a_b")));
  EXPECT_THAT(text, Not(HasSubstr("weft_c_d")));
  EXPECT_THAT(text, HasSubstr("a total that is negative, or no number"));
}

TEST(OpenMetrics, no_label_commands_the_terminal) {
  EXPECT_THAT(printed({missing("/a/b", "no \x1b[2J reason")}),
              HasSubstr("reason=\"no ?[2J reason\""));
}

TEST(OpenMetrics, the_text_ends_with_its_end) {
  EXPECT_THAT(printed({}), testing::EndsWith("\n# EOF\n"));
}

}  // namespace openmetrics_test
