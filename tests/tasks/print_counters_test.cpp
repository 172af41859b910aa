// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about what a program prints that knows nothing of counters, because its arguments and its
// environment say so.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>  // mkdtemp

#include "tests/support/paths.hpp"

namespace print_counters_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

constexpr const char* num_tasks = "/threads{locality#0/total}/count/cumulative";
/// The line about 100 tasks.
constexpr const char* hundred =
    "/threads.locality#0/total./count/cumulative,1,[0-9.]*,\\[s\\],100\n";

struct outcome {
  int status = -1;
  std::string out;
  std::string err;
};

class PrintCounters : public testing::Test {
 protected:
  PrintCounters() {
    std::string pattern = testing::TempDir() + "weft-print-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~PrintCounters() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file(const char* name) const { return folder_ / name; }
  [[nodiscard]] std::string content(const char* name) const {
    std::ifstream from(file(name));
    return {std::istreambuf_iterator<char>(from), {}};
  }
  /// `variables` as a shell takes them: "WEFT_COUNTERS=1".
  [[nodiscard]] outcome run(const std::string& arguments, const std::string& variables = "") const {
    const std::string command = "WEFT_WORKERS=2 " + variables + " '" +
                                weft::test::beside_this_program(WEFT_PROGRAM) + "' " + arguments +
                                " >" + file("out") + " 2>" + file("err");
    const int status = std::system(command.c_str());
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .out = content("out"),
            .err = content("err")};
  }
  [[nodiscard]] static std::string print(const std::string& counter) {
    return " '--weft:print-counter=" + counter + "' ";
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(PrintCounters, unasked_nothing_is_printed) {
  const outcome result = run("");

  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "done\n");
  EXPECT_THAT(result.err, IsEmpty());
}

TEST_F(PrintCounters, an_option_prints_a_counter_after_the_last_task) {
  const outcome result = run(print(num_tasks));

  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "done\n");
  EXPECT_THAT(result.err, MatchesRegex(hundred));
}

TEST_F(PrintCounters, a_variable_does_so_in_a_program_that_reads_no_options) {
  const outcome result = run("plain", "WEFT_COUNTERS='" + std::string(num_tasks) + "'");

  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, MatchesRegex(hundred));
}

TEST_F(PrintCounters, exit_prints_them_and_keeps_its_status) {
  for (const char* way : {"exit", "exit-in-task"}) {
    const outcome result = run(way + print(num_tasks));

    EXPECT_EQ(result.status, 3) << way;
    EXPECT_THAT(result.err, StartsWith(num_tasks)) << way;
  }
}

TEST_F(PrintCounters, tasks_end_before_static_objects_made_before_them) {
  for (const std::string& options : {std::string(), print(num_tasks)}) {
    for (const char* num_workers : {"1", "2", "16"}) {
      const outcome result = run("static" + options + " --weft:workers=" + num_workers);

      EXPECT_EQ(result.status, 0) << num_workers << options;
      EXPECT_EQ(result.out, "task ended first\n") << num_workers << options;
    }
  }
}

TEST_F(PrintCounters, tasks_of_a_runtime_of_the_programs_own_are_counted) {
  const outcome result = run("own-runtime", "WEFT_COUNTERS='" + std::string(num_tasks) + "'");

  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr(",[s],101\n")) << "a hundred, and the one that starts them";
}

TEST_F(PrintCounters, the_program_may_print_and_reset_them_in_between) {
  const outcome result = run("phases" + print(num_tasks));

  EXPECT_THAT(result.err,
              AllOf(StartsWith("first\n"), HasSubstr(",[s],100\n"), HasSubstr(",[s],200\n")));
}

TEST_F(PrintCounters, a_summary_says_where_the_time_went) {
  const outcome result = run("plain", "WEFT_COUNTERS=1");

  EXPECT_EQ(result.out, "done\n");
  EXPECT_THAT(result.err,
              AllOf(StartsWith("weft: 100 tasks in "),
                    HasSubstr(" on 2 workers; where the time went:\n"),
                    HasSubstr("\n  0       |"),
                    HasSubstr("\n  1       |"),
                    HasSubstr("\n  all     |"),
                    HasSubstr("\n  steals  ")));
}

TEST_F(PrintCounters, the_destination_may_be_a_file_or_standard_output) {
  const outcome to_file =
      run(print(num_tasks) + "--weft:print-counter-destination=" + file("counters"));
  const outcome to_out = run(print(num_tasks) + "--weft:print-counter-destination=stdout");

  EXPECT_THAT(to_file.err, IsEmpty());
  EXPECT_THAT(content("counters"), MatchesRegex(hundred));
  EXPECT_THAT(to_out.out, MatchesRegex(std::string("done\n") + hundred));
}

TEST_F(PrintCounters, json_lines_have_every_worker) {
  const outcome result =
      run(print("/threads/count/cumulative") + "--weft:print-counter-format=jsonl");

  const auto values = nlohmann::json::parse(result.err)["values"];
  double sum = 0;
  for (const auto& each : values) {
    const std::string name = each["name"];
    sum += name.find("worker-thread#") != name.npos ? each["value"].get<double>() : 0;
  }
  EXPECT_EQ(values[0]["name"], num_tasks);
  EXPECT_EQ(values[0]["value"], 100);
  EXPECT_EQ(sum, 100);
}

TEST_F(PrintCounters, lists_go_to_standard_output_and_end_the_program) {
  for (const char* more : {"", " --weft:exit"}) {
    const outcome result = run(std::string("--hpx:list-counters=full") + more);

    EXPECT_EQ(result.status, 0) << more;
    EXPECT_THAT(result.out,
                HasSubstr("\n/threads{locality#0/pool#default/worker-thread#1}/count/cumulative\n"))
        << more;
    EXPECT_THAT(result.out, testing::Not(HasSubstr("done"))) << more;
    EXPECT_THAT(result.err, IsEmpty()) << more;
  }
}

TEST_F(PrintCounters, help_goes_to_standard_output_and_ends_the_program) {
  const outcome result = run("--weft:help");

  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, AllOf(HasSubstr("--weft:workers"), testing::Not(HasSubstr("done"))));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST_F(PrintCounters, exit_ends_the_program_before_it_runs) {
  const outcome result = run("--weft:exit");

  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, IsEmpty());
}

TEST_F(PrintCounters, a_program_may_decide_what_becomes_of_text) {
  EXPECT_EQ(run("decides").out, "silent, stay\n");
  EXPECT_EQ(run("decides --weft:help").out, "text, exit\n");
  EXPECT_EQ(run("decides --weft:list-counters").out, "text, stay\n");
  EXPECT_EQ(run("decides --weft:exit").out, "silent, exit\n");

  const outcome mistake = run("decides --weft:worker=2");
  EXPECT_EQ(mistake.status, 3);
  EXPECT_THAT(mistake.err, StartsWith("caught: "));
}

TEST_F(PrintCounters, mistakes_are_told_before_anything_runs) {
  for (const char* mistake : {"--weft:print-counter=/threads/count/cumulativ",
                              "--weft:print-countr=/threads/count/cumulative",
                              "--weft:print-counter-interval=100",
                              "--weft:print-counter=/threads/count/cumulative "
                              "--weft:print-counter-destination=/proc/no/such/file",
                              "--weft:print-counter=/threads/count/cumulative "
                              "--weft:print-counter-format=xml"}) {
    const outcome result = run(mistake);

    EXPECT_EQ(result.status, 2) << mistake;
    EXPECT_THAT(result.out, IsEmpty()) << mistake;
    EXPECT_THAT(result.err, MatchesRegex("weft: [^\n]+\n")) << mistake;
  }
}

TEST_F(PrintCounters, a_wrong_variable_is_told_in_one_line_and_the_program_runs_uncounted) {
  for (const char* wrong : {"WEFT_COUNTERS=nonsense",
                            "WEFT_COUNTERS=/threads/count/cumulativ",
                            "WEFT_COUNTERS=/agas/count/bind",
                            "WEFT_COUNTERS='/threads{{'",
                            "WEFT_COUNTERS='title,/threads/count/cumulative'",
                            "WEFT_COUNTERS=1 WEFT_COUNTERS_DESTINATION=/proc/no/such/file"}) {
    for (const char* way : {"plain", "", "own-runtime"}) {
      const outcome result = run(way, wrong);

      EXPECT_EQ(result.status, 0) << way << ' ' << wrong;
      EXPECT_EQ(result.out, "done\n") << way << ' ' << wrong;
      EXPECT_THAT(result.err, MatchesRegex("weft: [^\n]*\n")) << way << ' ' << wrong;
    }
  }
}

TEST_F(PrintCounters, a_wrong_variable_says_what_to_type_instead) {
  EXPECT_EQ(run("plain", "WEFT_COUNTERS=/threads/count/cumulativ").err,
            "weft: the program runs, but prints no counters: there is no counter "
            "/threads/count/cumulativ; did you mean /threads/count/cumulative?\n");
  EXPECT_THAT(run("plain", "WEFT_COUNTERS=nonsense").err,
              AllOf(StartsWith("weft: environment variable WEFT_COUNTERS=nonsense: accepted is 1 "),
                    HasSubstr("; it is ignored\n")));
}

TEST_F(PrintCounters, a_variable_that_is_nonsense_is_ignored) {
  for (const char* variable : {"WEFT_WORKERS",
                               "WEFT_BIND",
                               "WEFT_SMT",
                               "WEFT_PRINT_BIND",
                               "WEFT_STACK_SIZE",
                               "WEFT_MAX_STACKS",
                               "WEFT_DEADLOCK",
                               "WEFT_TIMING",
                               "WEFT_COUNTERS_INTERVAL",
                               "WEFT_COUNTERS_FORMAT"}) {
    for (const char* way : {"plain", "", "own-runtime"}) {
      const outcome result = run(way, std::string(variable) + "=nonsense");

      EXPECT_EQ(result.status, 0) << way << ' ' << variable;
      EXPECT_EQ(result.out, "done\n") << way << ' ' << variable;
      EXPECT_THAT(result.err,
                  MatchesRegex("(weft: environment variable " + std::string(variable) +
                               "=nonsense: accepted is [^\n]*; it is ignored\n)+"))
          << way << ' ' << variable;
    }
  }
}

TEST_F(PrintCounters, a_trace_that_cannot_be_is_told_in_one_line) {
  for (const char* wrong : {"WEFT_TRACE=x:last=nonsense",
                            "WEFT_TRACE=/proc/no/such/file",
                            "WEFT_TRACE=/tmp",
                            "WEFT_TRACE=/dev/null/x"}) {
    for (const char* way : {"plain", ""}) {
      const outcome result = run(way, wrong);

      EXPECT_EQ(result.status, 0) << way << ' ' << wrong;
      EXPECT_EQ(result.out, "done\n") << way << ' ' << wrong;
      EXPECT_THAT(result.err, MatchesRegex("weft: [^\n]*\n")) << way << ' ' << wrong;
    }
  }
}

TEST_F(PrintCounters, a_misspelt_variable_is_told_once) {
  for (const char* way : {"", "plain", "own-runtime"}) {
    const outcome result = run(way, "WEFT_WORKRES=3 WEFT_STATZ=off WEFT_NO_APT=1");

    EXPECT_EQ(result.status, 0) << way;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr("variable WEFT_WORKRES; did you mean WEFT_WORKERS?\n"))
        << way;
    EXPECT_THAT(result.err, HasSubstr("variable WEFT_STATZ; did you mean WEFT_STATS?\n")) << way;
  }
}

TEST_F(PrintCounters, a_mistake_among_the_arguments_ends_the_program_whatever_variables_say) {
  const outcome result =
      run("--weft:print-counter-destination=/proc/no/such/file", "WEFT_COUNTERS=1");

  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, MatchesRegex("weft: [^\n]+\n"));
}

TEST_F(PrintCounters, an_interval_does_not_keep_the_program_from_ending) {
  const outcome result = run(print("1h:" + std::string(num_tasks)));

  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, AllOf(HasSubstr(",[s],0\n"), HasSubstr(",[s],100\n")));
}

}  // namespace print_counters_test
