// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the options that say which counters are printed, when, how and where.
#include "counters/print/counter_options.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/base/options.hpp"

#include "counters/print/formats.hpp"

namespace counter_options_test {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using weft::counters::detail::counter_plan;
using weft::counters::detail::counter_request;
using weft::counters::detail::list_extent;
using weft::counters::detail::print_format;

counter_plan plan_from(std::vector<std::string> texts,
                       const std::map<std::string, std::string>& variables = {}) {
  weft::base::option_registry registry;
  weft::counters::detail::register_counter_options(registry);
  registry.read_environment([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
  texts.insert(texts.begin(), "program");
  std::vector<char*> argv;
  argv.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    argv.push_back(text.data());
  }
  auto argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  registry.read_command_line(argc, argv.data());
  EXPECT_EQ(argc, 1) << "an argument was not removed";
  return weft::counters::detail::read_counter_options(registry);
}

auto refuses(const char* text) { return ThrowsMessage<weft::error>(HasSubstr(text)); }

TEST(CounterOptions, without_any_nothing_is_printed) {
  const counter_plan plan = plan_from({});

  EXPECT_FALSE(plan.prints());
  EXPECT_FALSE(plan.lists());
  EXPECT_FALSE(plan.should_exit);
}

TEST(CounterOptions, counters_are_printed_at_the_end_to_standard_error) {
  const counter_plan plan =
      plan_from({"--weft:print-counter=/a/b", "--weft:print-counter=/c{d}/e@1,2"});

  EXPECT_THAT(plan.counters,
              ElementsAre(counter_request{.name = "/a/b"}, counter_request{.name = "/c{d}/e@1,2"}));
  EXPECT_EQ(plan.format, print_format::normal);
  EXPECT_EQ(plan.destination, "stderr");
  EXPECT_TRUE(plan.at_shutdown);
  EXPECT_FALSE(plan.at_startup);
}

TEST(CounterOptions, every_option_of_hpx_is_understood) {
  const counter_plan plan = plan_from({"--hpx:print-counter=/a/b",
                                       "--hpx:print-counter-reset=/c/d",
                                       "--hpx:print-counter-interval=100",
                                       "--hpx:print-counter-destination=cout",
                                       "--hpx:print-counter-format=csv",
                                       "--hpx:print-counter-at=startup",
                                       "--hpx:print-counter-at=noshutdown",
                                       "--hpx:no-csv-header",
                                       "--hpx:print-counter-types",
                                       "--hpx:print-counters-locally",
                                       "--hpx:list-counters=full",
                                       "--hpx:list-counter-infos",
                                       "--hpx:exit"});

  EXPECT_THAT(plan.counters,
              ElementsAre(counter_request{.name = "/a/b"},
                          counter_request{.name = "/c/d", .is_reset = true}));
  EXPECT_EQ(plan.interval, milliseconds(100));
  EXPECT_EQ(plan.destination, "cout");
  EXPECT_EQ(plan.format, print_format::csv);
  EXPECT_TRUE(plan.at_startup);
  EXPECT_FALSE(plan.at_shutdown);
  EXPECT_FALSE(plan.csv_header);
  EXPECT_TRUE(plan.with_types);
  EXPECT_EQ(plan.list, list_extent::full);
  EXPECT_EQ(plan.list_infos, list_extent::minimal);
  EXPECT_TRUE(plan.should_exit);
}

TEST(CounterOptions, only_noshutdown_takes_the_end_away) {
  const counter_plan plan =
      plan_from({"--weft:print-counter=/a/b", "--weft:print-counter-at=startup"});

  EXPECT_TRUE(plan.at_startup);
  EXPECT_TRUE(plan.at_shutdown);
}

TEST(CounterOptions, a_counter_may_have_an_interval_of_its_own) {
  const counter_plan plan = plan_from({"--weft:print-counter=50ms:/statistics{/a/b}/max@5,0",
                                       "--weft:print-counter-interval=1.5 s"});

  EXPECT_THAT(plan.counters,
              ElementsAre(counter_request{.name = "/statistics{/a/b}/max@5,0",
                                          .interval = milliseconds(50)}));
  EXPECT_EQ(plan.interval, milliseconds(1500));
}

TEST(CounterOptions, all_counters_may_be_reset) {
  const counter_plan plan = plan_from({"--weft:print-counter=/a/b", "--weft:reset-counters"});

  EXPECT_THAT(plan.counters, ElementsAre(counter_request{.name = "/a/b", .is_reset = true}));
}

TEST(CounterOptions, what_is_no_counter_is_told_what_one_is) {
  for (const char* text : {"tasks", "0ms:/a/b", "fast:/a/b", "a,b,/c/d", ",/a/b", "x/a/b"}) {
    EXPECT_THAT([&] { (void)plan_from({std::string("--weft:print-counter=") + text}); },
                refuses("accepted is a counter such as /threads/count/cumulative"))
        << text;
  }
}

TEST(CounterOptions, an_unknown_format_is_an_error_that_lists_them) {
  EXPECT_THAT(
      [] { (void)plan_from({"--weft:print-counter=/a/b", "--weft:print-counter-format=xml"}); },
      refuses("accepted is one of normal, csv, csv-short, json, jsonl, openmetrics"));
}

TEST(CounterOptions, an_unknown_option_is_told_the_nearest) {
  EXPECT_THAT([] { (void)plan_from({"--hpx:print-counters=/a/b"}); },
              refuses("no option --hpx:print-counters; did you mean --weft:print-counter?"));
}

TEST(CounterOptions, how_to_print_without_what_is_an_error) {
  for (const char* option : {"print-counter-interval=100",
                             "print-counter-at=startup",
                             "print-counter-destination=x",
                             "print-counter-format=csv",
                             "csv-header",
                             "no-csv-header",
                             "print-counter-types",
                             "reset-counters"}) {
    EXPECT_THAT([&] { (void)plan_from({std::string("--weft:") + option}); },
                refuses("says how to print counters, but none is to be printed"))
        << option;
  }
}

TEST(CounterOptions, variables_that_say_how_may_stand_in_a_profile) {
  EXPECT_FALSE(plan_from({}, {{"WEFT_COUNTERS_FORMAT", "csv"}}).prints());
}

TEST(CounterOptions, csv_short_has_a_title_for_every_column) {
  EXPECT_EQ(plan_from({"--weft:print-counter=tasks,/a/b", "--weft:print-counter-format=csv-short"})
                .counters[0]
                .short_name,
            "tasks");
  EXPECT_THAT(
      [] {
        (void)plan_from({"--weft:print-counter=/a/b", "--weft:print-counter-format=csv-short"});
      },
      refuses("write --weft:print-counter=title,/a/b"));
  EXPECT_THAT([] { (void)plan_from({"--weft:print-counter=tasks,/a/b"}); },
              refuses("has a title that only csv-short prints"));
}

TEST(CounterOptions, one_variable_is_enough_for_a_summary) {
  const counter_plan plan = plan_from({}, {{"WEFT_COUNTERS", "1"}});

  EXPECT_TRUE(plan.prints());
  EXPECT_TRUE(plan.with_summary);
  EXPECT_EQ(plan.format, print_format::summary);
}

TEST(CounterOptions, the_counters_of_a_summary_can_be_had_in_any_format) {
  const counter_plan plan =
      plan_from({}, {{"WEFT_COUNTERS", "1"}, {"WEFT_COUNTERS_FORMAT", "jsonl"}});

  EXPECT_TRUE(plan.with_summary);
  EXPECT_EQ(plan.format, print_format::jsonl);
}

TEST(CounterOptions, a_variable_may_name_counters) {
  const counter_plan plan = plan_from({},
                                      {{"WEFT_COUNTERS", "/threads*/time/*;10ms:/a/b"},
                                       {"WEFT_COUNTERS_DESTINATION", "file"},
                                       {"WEFT_COUNTERS_INTERVAL", "1s"}});

  EXPECT_THAT(plan.counters,
              ElementsAre(counter_request{.name = "/threads*/time/*"},
                          counter_request{.name = "/a/b", .interval = milliseconds(10)}));
  EXPECT_EQ(plan.format, print_format::normal);
  EXPECT_EQ(plan.destination, "file");
  EXPECT_EQ(plan.interval, milliseconds(1000));
}

TEST(CounterOptions, a_variable_can_turn_counters_off) {
  EXPECT_FALSE(plan_from({}, {{"WEFT_COUNTERS", "0"}}).prints());
  EXPECT_FALSE(plan_from({}, {{"WEFT_COUNTERS", "off"}}).prints());
}

TEST(CounterOptions, a_variable_that_names_no_counter_is_an_error) {
  EXPECT_THAT([] { (void)plan_from({}, {{"WEFT_COUNTERS", "threads"}}); },
              refuses("environment variable WEFT_COUNTERS=threads: accepted is 1 for a summary"));
}

}  // namespace counter_options_test
