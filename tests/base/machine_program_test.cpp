// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about what weft_machine prints, on a planted machine and on the running one.
#include <array>
#include <cstdio>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdio.h>
#include <stdlib.h>

#include "lab/harness/process_readings.hpp"
#include "tests/support/fake_root.hpp"
#include "tests/support/paths.hpp"

namespace machine_program_test {

using nlohmann::json;
using testing::HasSubstr;

struct outcome {
  std::string output;  // standard output and standard error
  int exit_code = -1;
};

outcome run(const std::string& arguments) {
  outcome result;
  std::FILE* pipe = ::popen(
      (weft::test::beside_this_program(WEFT_MACHINE_PROGRAM) + " " + arguments + " 2>&1").c_str(),
      "r");
  std::array<char, 4096> part{};
  while (const std::size_t num_read = std::fread(part.data(), 1, part.size(), pipe)) {
    result.output.append(part.data(), num_read);
  }
  result.exit_code = WEXITSTATUS(::pclose(pipe));
  return result;
}

TEST(MachineProgram, describes_a_planted_machine) {
  weft::test::fake_root root;
  root.write("sys/devices/system/cpu/online", "0-1")
      .write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3500000")
      .write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance")
      .write("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]")
      .write("proc/self/status", "Cpus_allowed_list:\t1")
      .write("proc/cpuinfo", "model name\t: Planted 9000\ncpu family\t: 6\nflags\t\t: fpu sse")
      .write("proc/stat", "cpu  10 0 10 70 0 0 0 10 0 0")
      .write("proc/loadavg", "0.50 0.25 0.10 1/98 16828");

  const outcome done = run("--root " + root.path().string());

  ASSERT_EQ(done.exit_code, 0) << done.output;
  const json found = json::parse(done.output);
  EXPECT_EQ(found["record"], "machine");
  EXPECT_EQ(found["cpu"]["cpu_model"], "Planted 9000");
  EXPECT_EQ(found["cpu"]["family"], 6);
  EXPECT_EQ(found["cpu"]["vendor"], nullptr);
  EXPECT_EQ(found["cpu"]["frequency_max_mhz"], 3500);
  EXPECT_EQ(found["cpu"]["governor"]["value"], "performance");
  EXPECT_EQ(found["cpu"]["hypervisor"], false);
  EXPECT_EQ(found["limits"]["cpus_usable"], 1);
  EXPECT_EQ(found["limits"]["cpus_source"], "affinity mask");
  EXPECT_EQ(found["memory"]["memory_total_bytes"], nullptr);
  EXPECT_EQ(found["memory"]["transparent_huge_pages"]["value"], "never");
  EXPECT_EQ(found["system"]["load_average_1_5_15_min"], (json{0.5, 0.25, 0.1}));
  EXPECT_EQ(found["system"]["steal_fraction"], nullptr);  // a planted clock does not tick
  EXPECT_EQ(found["profile"]["is_used"], false) << "tests run with WEFT_PROFILE=off";
}

TEST(MachineProgram, lists_every_counter_as_available_or_with_a_reason) {
  const outcome done = run("");

  ASSERT_EQ(done.exit_code, 0) << done.output;
  const json counters = json::parse(done.output)["counters"];
  ASSERT_EQ(counters.size(), weft::lab::recorded_counters.size());
  for (const json& counter : counters) {
    EXPECT_NE(counter["available"] == true, counter["reason"].is_string()) << counter;
  }
}

TEST(MachineProgram, measures_the_stolen_time_of_the_running_machine) {
  const json system = json::parse(run("").output)["system"];

  ASSERT_TRUE(system["steal_fraction"].is_number()) << system;
  EXPECT_GE(system["steal_fraction"], 0);
  EXPECT_LE(system["steal_fraction"], 1);
}

TEST(MachineProgram, helps) {
  const outcome done = run("--help");

  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.output, HasSubstr("usage: weft_machine"));
}

TEST(MachineProgram, refuses_what_it_does_not_know) {
  for (const char* arguments : {"--rot /", "--root", "--root /no/such/folder", "--root / more"}) {
    const outcome done = run(arguments);

    EXPECT_EQ(done.exit_code, 2) << arguments;
    EXPECT_THAT(done.output, HasSubstr("weft_machine --help")) << arguments;
  }
}

}  // namespace machine_program_test
