// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole bench program inside the test: records, exit codes, streams that go on after anything.
#include "lab/harness/bench.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "harness/small_suite.hpp"
#include "lab/harness/build_info.hpp"

namespace weft::lab {
namespace bench_test {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using words = std::vector<std::string>;

struct run_result {
  int exit_code = -1;
  std::string out;
  std::string errors;
  std::vector<json> records;
};

class Bench : public ::testing::Test {
 protected:
  run_result run(words arguments, const std::string& input = "", bool is_terminal = false) {
    arguments.insert(arguments.end(), {"--max-samples", "3", "--min-samples", "3"});
    return run_exactly(arguments, input, is_terminal);
  }

  run_result run_exactly(const words& arguments,
                         const std::string& input = "",
                         bool is_terminal = false) {
    const build_info build{.program = "weft_small",
                           .toolchain = "gcc",
                           .compiler = "g++ 12.2.0",
                           .flags = "-O3",
                           .weft_version = "0.1.0",
                           .git_commit = "abc"};
    std::istringstream in(input);
    std::ostringstream out;
    std::ostringstream errors;
    run_result result;
    result.exit_code =
        run_bench(arguments,
                  what,
                  build,
                  {.in = in, .out = out, .errors = errors, .out_is_terminal = is_terminal});
    result.out = out.str();
    result.errors = errors.str();
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      if (json::accept(line)) {
        result.records.push_back(json::parse(line));
      }
    }
    return result;
  }

  std::filesystem::path scratch_file() {
    return std::filesystem::temp_directory_path() /
           ("weft_bench_test_" + std::to_string(getpid()) + ".json");
  }

  testing::small_suite what;
};

TEST_F(Bench, the_first_line_describes_the_program) {
  const run_result result = run({"--problem", "good"});

  ASSERT_EQ(result.records.size(), 2U);
  const json& program = result.records[0];
  EXPECT_EQ(program["schema"], 1);
  EXPECT_EQ(program["record"], "program");
  EXPECT_EQ(program["suite"], "small");
  EXPECT_EQ(program["backend"], "inline");
  EXPECT_EQ(program["libraries"]["libsmall"], "1.2");
  EXPECT_EQ(program["pid"], getpid());
  EXPECT_GT(program["timer_cost_s"], 0.0);
  EXPECT_GT(program["call_overhead_s"], 0.0);
  EXPECT_GE(program["cpus_usable"], 1);
  EXPECT_TRUE(program["environment"].contains("OMP_WAIT_POLICY"));
}

TEST_F(Bench, a_good_cell_is_answered_with_samples) {
  const run_result result = run({"--problem", "good", "--size", "8"});

  EXPECT_EQ(result.exit_code, 0);
  const json& record = result.records.at(1);
  EXPECT_EQ(record["status"], "ok");
  EXPECT_EQ(record["cell"]["size"], 8);
  EXPECT_EQ(record["cell"]["threads"], 1) << "a serial backend defaults to one thread";
  EXPECT_EQ(record["samples_s"].size(), 3U);
  EXPECT_EQ(record["statistic"], "median");
  EXPECT_EQ(record["bytes_min"], 24);
  EXPECT_EQ(record["parallelism"]["sequential"], false);
  EXPECT_GT(record["probe_s"], 0.0);
  EXPECT_FALSE(record["counters"].empty());
  EXPECT_TRUE(record["resources"].contains("rss_growth_bytes"));
}

TEST_F(Bench, the_first_call_of_a_problem_and_type_is_timed_once_in_a_process) {
  EXPECT_FALSE(run({"--problem", "good", "--type", "int"}).records.at(1).contains("cold_call_s"));
  what.is_cold_timed = true;

  const run_result first = run({"--problem", "good", "--type", "int", "--size", "8,16"});
  const run_result second = run({"--problem", "good", "--type", "float"});

  EXPECT_GE(first.records.at(1)["cold_call_s"], 0.0);
  EXPECT_FALSE(first.records.at(2).contains("cold_call_s"));
  EXPECT_GE(second.records.at(1)["cold_call_s"], 0.0);
  EXPECT_FALSE(run({"--problem", "wrong"}).records.at(1).contains("cold_call_s"));
}

TEST_F(Bench, without_a_probe_nothing_is_said_of_the_threads) {
  const run_result result = run({"--problem", "good", "--probe", "no"});

  const json& record = result.records.at(1);
  EXPECT_EQ(record["status"], "ok");
  EXPECT_TRUE(record["parallelism"]["sequential"].is_null());
  EXPECT_TRUE(record["parallelism"]["threads_active"].is_null());
  EXPECT_EQ(record["probe_s"], 0.0);
  EXPECT_THAT(std::string(record["parallelism"]["reason"]), HasSubstr("not asked for"));
}

TEST_F(Bench, every_counter_has_a_value_or_a_reason) {
  const run_result result = run({"--problem", "good"});

  for (const json& counter : result.records.at(1)["counters"]) {
    EXPECT_EQ(counter["value"].is_null(), counter.contains("reason")) << counter;
    const std::string per = counter["name"] == "run_delay" ? "phase" : "call";
    EXPECT_EQ(counter.value("per", per), per) << counter;
  }
}

TEST_F(Bench, a_wrong_answer_is_never_timed) {
  const run_result result = run({"--problem", "wrong"});

  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(what.num_runs, 0);
  const json& record = result.records.at(1);
  EXPECT_EQ(record["status"], "wrong");
  EXPECT_THAT(record["samples_s"], IsEmpty());
  EXPECT_EQ(record["message"], "element 17 is 3, expected 4");
  EXPECT_FALSE(record.contains("statistic_s"));
}

TEST_F(Bench, answers_are_checked_before_samples_between_them_and_behind_them) {
  EXPECT_EQ(run({"--problem", "good"}).records.at(1)["status"], "ok");

  EXPECT_EQ(what.num_checks, 3);
}

TEST_F(Bench, answers_of_later_samples_are_checked_too) {
  const words arguments{
      "--problem", "good", "--min-samples", "64", "--max-samples", "64", "--min-time-s", "0.002"};
  EXPECT_EQ(run_exactly(arguments).records.at(1)["status"], "ok");

  // Before and behind; of the samples 1 to 3, 4 to 9, 10 to 21 and 22 to 45; perhaps of 46 to 93.
  EXPECT_GE(what.num_checks, 6);
  EXPECT_LE(what.num_checks, 7);
}

TEST_F(Bench, a_library_that_returns_early_from_its_fourth_call_on_is_never_timed) {
  const run_result result = run({"--problem", "tires"});

  EXPECT_EQ(result.exit_code, 4);
  const json& record = result.records.at(1);
  EXPECT_EQ(record["status"], "wrong");
  EXPECT_THAT(record["samples_s"], IsEmpty());
  EXPECT_THAT(record["message"].get<std::string>(), HasSubstr("right before it was timed"));
  EXPECT_THAT(record["message"].get<std::string>(), HasSubstr("the answer is 0, expected 1"));
}

TEST_F(Bench, the_phase_of_sampling_is_as_long_as_its_samples_at_least) {
  const json record = run({"--problem", "good"}).records.at(1);

  double timed_s = 0;
  for (const double sample_s : record["samples_s"]) {
    timed_s += sample_s * record["calls_per_sample"].get<double>();
  }
  EXPECT_GE(record["phase_s"], timed_s);
}

TEST_F(Bench, wrong_wins_over_error_in_the_exit_code) {
  EXPECT_EQ(run({"--problem", "wrong,throws"}).exit_code, 4);
  EXPECT_EQ(run({"--problem", "throws,wrong"}).exit_code, 4);
  EXPECT_EQ(run({"--problem", "throws,good"}).exit_code, 2);
}

TEST_F(Bench, an_exception_becomes_an_error_record) {
  const run_result result = run({"--problem", "throws"});

  EXPECT_EQ(result.records.at(1)["status"], "error");
  EXPECT_TRUE(result.records[1]["field"].is_null());
  EXPECT_THAT(result.records[1]["message"].get<std::string>(), HasSubstr("planted exception"));
}

TEST_F(Bench, what_cannot_run_here_is_skipped_with_a_remedy) {
  const run_result result = run({"--problem", "huge,exhausts,unavailable"});

  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.records.at(1)["code"], "memory");
  EXPECT_THAT(result.records[1]["message"].get<std::string>(), HasSubstr("1152921504606846976"));
  EXPECT_EQ(result.records.at(2)["code"], "memory");
  EXPECT_EQ(result.records.at(3)["code"], "missing_library");
  EXPECT_EQ(result.records.at(3)["remedy"], "install libsmall");
}

TEST_F(Bench, a_stream_goes_on_after_every_kind_of_bad_cell) {
  const std::string input =
      "{\"problem\":\"good\",\"id\":\"1\"}\n"
      "{\"problem\":\"go\n"
      "\n"
      "{\"problem\":\"goof\",\"id\":\"3\"}\n"
      "{\"problem\":\"good\",\"id\":\"4\",\"size\":0}\n"
      "{\"problem\":\"good\",\"id\":\"5\",\"params\":{\"k\":1}}\n"
      "{\"problem\":\"throws\",\"id\":\"6\"}\n"
      "{\"problem\":\"wrong\",\"id\":\"7\"}\n"
      "{\"problem\":\"good\",\"id\":\"8\",\"placement\":\"cores\"}\n"
      "{\"problem\":\"good\",\"id\":\"9\"}";  // no newline: still a whole cell

  const run_result result = run({"--stream"}, input);

  ASSERT_EQ(result.records.size(), 10U);
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_TRUE(result.records[2]["cell"].is_null());
  const words fields{"", "line", "problem", "size", "params", "", "", "placement", ""};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!fields[i].empty()) {
      EXPECT_EQ(result.records[i + 1]["field"], fields[i]);
    }
  }
  EXPECT_EQ(result.records[9]["status"], "ok");
  EXPECT_EQ(result.records[9]["cell"]["id"], "9");
}

TEST_F(Bench, options_of_a_stream_are_defaults_of_its_cells) {
  const run_result result = run({"--stream", "--type", "int"}, "{\"problem\":\"good\"}\n");

  EXPECT_EQ(result.records.at(1)["cell"]["type"], "int");
  EXPECT_EQ(result.records.at(1)["samples_s"].size(), 3U);
}

TEST_F(Bench, a_bad_option_is_a_record_and_a_message) {
  const run_result result = run_exactly({"--treads", "2"});

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.records.at(0)["record"], "program");
  EXPECT_EQ(result.records.at(1)["field"], "--treads");
  EXPECT_THAT(result.errors, HasSubstr("did you mean \"--threads\"?"));
}

TEST_F(Bench, no_arguments_name_the_way_on) {
  const run_result result = run_exactly({});

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("--list"));
}

TEST_F(Bench, list_names_the_problems) {
  EXPECT_EQ(run_exactly({"--list"}).out,
            "exhausts\ngood\nhuge\nthrows\ntires\nunavailable\nwrong\n");
  EXPECT_EQ(run_exactly({"--list", "--json"}).records.at(0)["problems"].size(), 7U);
}

TEST_F(Bench, help_shows_examples_in_lines_that_fit_a_terminal) {
  const run_result result = run_exactly({"--help"});

  EXPECT_EQ(result.exit_code, 0);
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST_F(Bench, a_terminal_gets_a_sentence_instead_of_json) {
  const run_result result = run({"--problem", "good"}, "", true);

  EXPECT_THAT(result.records, IsEmpty());
  EXPECT_THAT(result.out, HasSubstr("good double 1048576, 1 thread: "));
  EXPECT_THAT(result.out, HasSubstr("verified"));
  EXPECT_EQ(run({"--problem", "good", "--json"}, "", true).records.size(), 2U);
}

TEST_F(Bench, more_threads_than_cpus_are_labelled) {
  const run_result result = run({"--problem", "good", "--threads", "4096"});

  EXPECT_EQ(result.records.at(1)["oversubscribed"], true);
}

TEST_F(Bench, a_thread_count_that_the_library_refuses_is_skipped) {
  const run_result result = run({"--problem", "good", "--threads", "77"});

  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.records.at(1)["status"], "skipped");
  EXPECT_EQ(result.records.at(1)["code"], "unsupported");
  EXPECT_EQ(result.records.at(1)["message"], "libsmall refuses 77 threads");
}

TEST_F(Bench, records_may_go_to_a_file) {
  const auto file = scratch_file();

  const run_result result = run({"--problem", "good", "--output", file});

  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, IsEmpty());
  std::ifstream in(file);
  std::string first;
  std::getline(in, first);
  EXPECT_EQ(json::parse(first)["record"], "program");
  std::filesystem::remove(file);
}

TEST_F(Bench, an_unwritable_file_is_said_before_anything_is_measured) {
  const run_result result = run({"--problem", "good", "--output", "/nowhere/at/all.jsonl"});

  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(what.num_runs, 0);
  EXPECT_THAT(result.errors, HasSubstr("/nowhere/at/all.jsonl"));
}

TEST_F(Bench, google_benchmark_json_holds_one_repetition_per_sample) {
  const auto file = scratch_file();

  const run_result result = run({"--problem", "good,wrong", "--gbench-json", file});

  const json document = json::parse(std::ifstream(file));
  std::filesystem::remove(file);
  for (const char* key : {"date", "host_name", "executable", "num_cpus", "library_build_type"}) {
    EXPECT_TRUE(document["context"].contains(key)) << key;
  }
  ASSERT_EQ(document["benchmarks"].size(), 4U);
  const json& sample = document["benchmarks"][0];
  EXPECT_EQ(sample["name"], "small/inline@gcc/good/double/1048576/threads:1");
  EXPECT_EQ(sample["run_type"], "iteration");
  EXPECT_EQ(sample["repetitions"], 3);
  EXPECT_EQ(sample["time_unit"], "ns");
  EXPECT_DOUBLE_EQ(sample["real_time"], result.records.at(1)["samples_s"][0].get<double>() * 1e9);
  EXPECT_TRUE(sample.contains("cpu_time"));
  EXPECT_EQ(sample["iterations"], result.records[1]["calls_per_sample"]);
  EXPECT_EQ(document["benchmarks"][3]["error_occurred"], true);
}

}  // namespace bench_test
}  // namespace weft::lab
