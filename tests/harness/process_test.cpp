// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bench program as a process: what it writes before it dies, and where it may run.
#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdio.h>   // popen
#include <stdlib.h>  // WIFSIGNALED

#include "tests/support/paths.hpp"

namespace process_test {

using nlohmann::json;

struct finished {
  int wait_status = -1;
  std::vector<json> records;
};

finished run_fake(const std::string& arguments) {
  const std::string quick = " --min-samples 3 --max-samples 3";
  const std::string command = "exec " + weft::test::beside_this_program(WEFT_FAKE_BENCH) + " " +
                              arguments + quick + " 2>/dev/null";
  finished result;
  FILE* out = popen(command.c_str(), "r");
  std::string text;
  for (int next = fgetc(out); next != EOF; next = fgetc(out)) {
    if (next == '\n') {
      result.records.push_back(json::parse(text));
      text.clear();
    } else {
      text.push_back(static_cast<char>(next));
    }
  }
  result.wait_status = pclose(out);
  return result;
}

TEST(Process, records_written_before_a_crash_are_not_lost) {
  const finished result = run_fake("--problem steady,crash");

  EXPECT_TRUE(WIFSIGNALED(result.wait_status));
  EXPECT_EQ(WTERMSIG(result.wait_status), SIGABRT);
  ASSERT_EQ(result.records.size(), 2U);
  EXPECT_EQ(result.records[1]["status"], "ok");
}

TEST(Process, a_known_duration_is_measured) {
  const finished result = run_fake("--problem steady --param us=300 --threads 1");

  EXPECT_GE(result.records.at(1)["statistic_s"], 300e-6);
  EXPECT_LE(result.records.at(1)["samples_s"][0], 30e-3);
}

TEST(Process, placement_cores_holds_the_program_to_as_many_cpus_as_threads) {
  const finished result = run_fake("--problem steady --placement cores --threads 1");

  EXPECT_EQ(result.wait_status, 0);
  EXPECT_EQ(result.records.at(0)["cpus_usable"], 1);
  EXPECT_EQ(result.records.at(1)["status"], "ok");
  EXPECT_EQ(result.records.at(1)["cell"]["placement"], "cores");
}

TEST(Process, a_placement_with_too_few_cores_is_skipped_in_every_cell) {
  const finished result = run_fake("--problem steady,noisy --placement cores --threads 4096");

  EXPECT_EQ(result.wait_status, 0);
  EXPECT_EQ(result.records.at(1)["code"], "too_few_cores");
  EXPECT_EQ(result.records.at(2)["code"], "too_few_cores");
}

TEST(Process, a_leak_shows_in_the_growth_of_memory) {
  const finished result = run_fake("--problem leak --size 2^20 --threads 1");

  EXPECT_GE(result.records.at(1)["resources"]["rss_growth_bytes"], 3 << 20);
}

}  // namespace process_test
