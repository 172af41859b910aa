// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the table of where the time went.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

#include "counters/planted_readings.hpp"
#include "counters/print/summary.hpp"

namespace format_summary_test {

using testing::HasSubstr;
using testing::Not;
using weft::counters::session_reading;
using weft::counters::detail::summary_text;
using weft::test::averaged;
using weft::test::counted;
using weft::test::evaluation_of;
using weft::test::missing;

constexpr const char* total = "{locality#0/total}";

std::string worker(int i, const std::string& pool = "default") {
  return "{locality#0/pool#" + pool + "/worker-thread#" + std::to_string(i) + '}';
}

/// Milliseconds in tasks, between them, stealing, searching and asleep.
void add_times(std::vector<session_reading>& to,
               const std::string& instance,
               const std::vector<std::int64_t>& times_ms) {
  const std::vector<std::string> types{
      "executing", "scheduling", "stealing", "searching", "parked"};
  for (std::size_t i = 0; i < types.size(); ++i) {
    to.push_back(
        counted("/threads" + instance + "/time/" + types[i], times_ms[i] * 1'000'000, "ns"));
  }
}

TEST(Summary, every_worker_has_a_bar) {
  std::vector<session_reading> values;
  add_times(values, total, {1500, 300, 150, 150, 900});
  add_times(values, worker(0), {1500, 0, 0, 0, 0});
  add_times(values, worker(1), {0, 300, 150, 150, 900});
  values.push_back(counted("/threads" + worker(0) + "/count/cumulative", 1'234'567));

  const std::string text = summary_text(evaluation_of(values));

  EXPECT_THAT(text, HasSubstr("on 2 workers"));
  EXPECT_THAT(text, HasSubstr("  0       |##############################|  100.0 %"));
  EXPECT_THAT(text, HasSubstr("  1       |++++++---...                  |    0.0 %   20.0 %"));
  EXPECT_THAT(text, HasSubstr("  all     |###############+++--.         |   50.0 %   10.0 %"));
  EXPECT_THAT(text, HasSubstr("       1,234,567\n"));
}

TEST(Summary, what_is_unknown_is_a_question_not_an_empty_bar) {
  std::vector<session_reading> values;
  add_times(values, worker(0), {0, 0, 300, 0, 450});  // of 1500 ms
  values[0] = missing(values[0].name, "no task has been timed");
  values[1] = missing(values[1].name, "no task has been timed");

  const std::string text = summary_text(evaluation_of(values));

  EXPECT_THAT(text,
              HasSubstr("  0       |------         ???????????????|        ?        ?   20.0 %"));
}

TEST(Summary, workers_of_other_pools_are_told_apart) {
  std::vector<session_reading> values;
  add_times(values, worker(3, "io"), {1, 0, 0, 0, 0});

  EXPECT_THAT(summary_text(evaluation_of(values)), HasSubstr("  io/3    |###"));
}

TEST(Summary, a_mean_says_how_good_it_is) {
  session_reading mean = averaged(std::string("/threads") + total + "/time/average", 1234, "ns");
  mean.value.sampled = {.one_in = 64, .num_samples = 100, .half_width = 12.34};

  EXPECT_THAT(summary_text(evaluation_of({mean})),
              HasSubstr("mean task     1.23 us [sampled 1/64, +-1.0 %]\n"));
}

TEST(Summary, steals_delays_and_memory_have_a_line_each) {
  const std::string threads = std::string("/threads") + total;
  const std::string text = summary_text(evaluation_of(
      {counted(threads + "/count/steals-tried", 2000),
       counted(threads + "/count/steals-won", 1000),
       averaged(threads + "/idle-rate", 1234, "0.01%"),
       weft::test::recorded(threads + "/histogram/queue-delay",
                            {.buckets = {{1000, 98}, {2000, 1}, {5000, 1}}, .sum = 1}),
       counted(std::string("/runtime") + total + "/memory/resident", 3 << 20, "bytes")}));

  EXPECT_THAT(text, HasSubstr("steals        1,000 won of 2,000 tried (50.0 %)\n"));
  EXPECT_THAT(text, HasSubstr("idle rate     12.34 %\n"));
  EXPECT_THAT(text, HasSubstr("queue delay   p50 1.00 us, p90 1.00 us, p99 2.00 us\n"));
  EXPECT_THAT(text, HasSubstr("memory        3.00 MiB resident\n"));
  EXPECT_THAT(text, Not(HasSubstr("task duration"))) << "nobody asked for it";
}

TEST(Summary, what_is_missing_has_its_reason) {
  EXPECT_THAT(summary_text(evaluation_of({missing(std::string("/threads") + total + "/idle-rate",
                                                  "no task has been timed")})),
              HasSubstr("idle rate     unavailable (no task has been timed)\n"));
}

TEST(Summary, a_process_without_such_counters_asks_for_none) {
  const weft::counters::registry empty;

  EXPECT_THAT(weft::counters::detail::summary_counters(empty), testing::IsEmpty());
}

}  // namespace format_summary_test
