// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about evaluations as JSON, read back by another library.
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "weft/counters/counter.hpp"
#include "weft/counters/session.hpp"

#include "counters/planted_readings.hpp"
#include "counters/print/formats.hpp"

namespace format_json_test {

using nlohmann::json;
using weft::counters::session_reading;
using weft::counters::detail::make_json_formatter;
using weft::test::averaged;
using weft::test::counted;
using weft::test::evaluation_of;
using weft::test::missing;

json printed(session_reading reading) {
  const std::string text =
      make_json_formatter(true)->print(evaluation_of({std::move(reading)}), "a \"test\"\n");
  return json::parse(text);
}

TEST(FormatJson, an_evaluation_has_its_moment_and_its_description) {
  const json object = printed(counted("/a/b", 1));

  EXPECT_EQ(object["number"], 2);
  EXPECT_EQ(object["time"], "2026-01-01T00:00:00.123456789Z");
  EXPECT_EQ(object["since_start_s"], 1.500000001);
  EXPECT_EQ(object["description"], "a \"test\"\n");
}

TEST(FormatJson, a_value_has_its_name_unit_and_kind) {
  const json value =
      printed(averaged("/threads{locality#0/total}/time/average", 0.1, "ns"))["values"][0];

  EXPECT_EQ(value["name"], "/threads{locality#0/total}/time/average");
  EXPECT_EQ(value["unit"], "ns");
  EXPECT_EQ(value["kind"], "quotient");
  EXPECT_EQ(value["value"], 0.1);
  EXPECT_FALSE(value.contains("sampled"));
}

TEST(FormatJson, whole_numbers_stay_whole) {
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();

  EXPECT_EQ(printed(counted("/a/b", largest))["values"][0]["value"].get<std::int64_t>(), largest);
}

TEST(FormatJson, a_missing_value_is_null_and_has_its_reason) {
  const json value = printed(missing("/perf/cycles", "no PMU"))["values"][0];

  EXPECT_TRUE(value["value"].is_null());
  EXPECT_EQ(value["reason"], "no PMU");
}

TEST(FormatJson, a_sampled_value_says_how_it_was_sampled) {
  session_reading reading = averaged("/a/b", 5, "ns");
  reading.value.sampled = {.one_in = 64, .num_samples = 100, .half_width = 0.5};

  const json sampled = printed(reading)["values"][0]["sampled"];

  EXPECT_EQ(sampled["one_in"], 64);
  EXPECT_EQ(sampled["num_samples"], 100);
  EXPECT_EQ(sampled["half_width"], 0.5);
}

TEST(FormatJson, a_histogram_has_its_buckets) {
  const json value = printed(
      weft::test::recorded("/a/b",
                           {.buckets = {{8, 1.5}, {std::numeric_limits<double>::infinity(), 2}},
                            .sum = 30}))["values"][0]["value"];

  EXPECT_EQ(value["sum"], 30);
  EXPECT_EQ(value["buckets"][0]["upper"], 8);
  EXPECT_EQ(value["buckets"][0]["weight"], 1.5);
  EXPECT_TRUE(value["buckets"][1]["upper"].is_null()) << "a range without end";
}

TEST(FormatJson, an_array_of_numbers_is_one) {
  session_reading reading = counted("/a/b", 0);
  reading.value.value = std::vector<std::int64_t>{1, 2};

  EXPECT_EQ(printed(reading)["values"][0]["value"], json::array({1, 2}));
}

TEST(FormatJson, several_evaluations_are_one_document) {
  const auto formatter = make_json_formatter(false);
  std::string text = formatter->begin();
  text += formatter->print(evaluation_of({counted("/a/b", 1)}), "");
  text += formatter->print(evaluation_of({counted("/a/b", 2)}), "");
  text += formatter->end();

  const json document = json::parse(text);

  ASSERT_EQ(document.size(), 2u);
  EXPECT_EQ(document[1]["values"][0]["value"], 2);
}

TEST(FormatJson, none_is_a_document_too) {
  const auto formatter = make_json_formatter(false);

  EXPECT_TRUE(json::parse(formatter->begin() + formatter->end()).empty());
}

}  // namespace format_json_test
