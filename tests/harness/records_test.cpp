// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records survive the round trip: every bit of a number, any byte of a text, null for what is
// unknown.
#include "lab/harness/records.hpp"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lab/harness/experiment.hpp"
#include "lab/harness/gbench_json.hpp"
#include "lab/harness/reporter.hpp"

namespace weft::lab {
namespace records_test {

using nlohmann::json;

outcome measured_outcome(std::vector<double> samples_s) {
  outcome answer;
  answer.what = cell{};
  answer.what->problem = "sort";
  answer.how = status::ok;
  answer.measured.emplace();
  answer.measured->taken.per_call_s = std::move(samples_s);
  return answer;
}

TEST(Record, doubles_survive_the_round_trip) {
  const std::vector<double> samples_s{0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 2.5e-9};

  const json record = json::parse(result_record(measured_outcome(samples_s), {}));

  EXPECT_EQ(record["samples_s"].get<std::vector<double>>(), samples_s);
}

TEST(Record, what_is_not_finite_becomes_null) {
  const json record =
      json::parse(result_record(measured_outcome({std::numeric_limits<double>::infinity(),
                                                  std::numeric_limits<double>::quiet_NaN()}),
                                {}));

  EXPECT_TRUE(record["samples_s"][0].is_null());
  EXPECT_TRUE(record["samples_s"][1].is_null());
}

TEST(Record, has_nodes_scaled_and_a_fingerprint_only_where_there_are) {
  outcome answer = measured_outcome({1e-3});
  const json without = json::parse(result_record(answer, {}));
  EXPECT_FALSE(without.contains("nodes"));
  EXPECT_FALSE(without.contains("scaled"));
  EXPECT_FALSE(without.contains("fingerprint"));

  answer.measured->num_nodes = 17;
  answer.measured->scaled = "half the rows";
  answer.measured->fingerprint = "0.5";

  const json record = json::parse(result_record(answer, {}));
  EXPECT_EQ(record["nodes"], 17);
  EXPECT_EQ(record["scaled"], "half the rows");
  EXPECT_EQ(record["fingerprint"], "0.5");
}

TEST(Record, any_text_stays_one_valid_line) {
  outcome answer;
  answer.message = "quote \" newline \n tab \t and a byte that is no UTF-8: \xff";

  const std::string line = result_record(answer, {});

  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_TRUE(json::accept(line));
}

TEST(Record, unknown_is_null_with_a_reason_and_never_zero) {
  outcome answer = measured_outcome({1e-3});
  counter_value& unknown = answer.measured->counters.emplace_back();
  unknown.name = "instructions";
  unknown.reason = "no hardware counters in this guest";
  answer.measured->threads.reason = "too short";

  const json record = json::parse(result_record(answer, {}));

  EXPECT_TRUE(record["counters"][0]["value"].is_null());
  EXPECT_EQ(record["counters"][0]["reason"], "no hardware counters in this guest");
  EXPECT_TRUE(record["parallelism"]["sequential"].is_null());
  EXPECT_EQ(record["parallelism"]["reason"], "too short");
  EXPECT_TRUE(record["resources"]["peak_rss_bytes"].is_null());
}

TEST(Record, a_counter_of_samples_keeps_all_of_them) {
  outcome answer = measured_outcome({1e-3, 2e-3});
  counter_value& tasks = answer.measured->counters.emplace_back();
  tasks.name = "tasks";
  tasks.value = 1.5;
  tasks.per = "sample";
  tasks.per_sample = {1, 2};
  counter_value& unknown = answer.measured->counters.emplace_back();
  unknown.name = "task_time";
  unknown.per = "sample";
  unknown.reason = "no task has been timed";

  const json record = json::parse(result_record(answer, {}));

  EXPECT_EQ(record["counters"][0]["per"], "sample");
  EXPECT_EQ(record["counters"][0]["values"], json({1.0, 2.0}));
  EXPECT_TRUE(record["counters"][1]["value"].is_null());
  EXPECT_FALSE(record["counters"][1].contains("values"));
}

TEST(Record, unknown_cpu_time_is_null_for_google_benchmark_too) {
  const std::vector<outcome> answers{measured_outcome({1e-3})};

  const json document = json::parse(gbench_json(answers, {}));

  EXPECT_TRUE(document["benchmarks"][0]["cpu_time"].is_null());
}

TEST(Summary, durations_have_a_fitting_unit) {
  EXPECT_EQ(duration_text(1.5), "1.5 s");
  EXPECT_EQ(duration_text(0.0122), "12.2 ms");
  EXPECT_EQ(duration_text(3.25e-6), "3.25 us");
  EXPECT_EQ(duration_text(2.4e-10), "0.24 ns");
}

TEST(Summary, a_silently_sequential_backend_is_named) {
  outcome answer = measured_outcome({1e-3});
  answer.measured->threads.is_sequential = true;

  EXPECT_NE(summary_line(answer).find("ran on one thread"), std::string::npos);
}

}  // namespace records_test
}  // namespace weft::lab
