// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about when and how the counters of a plan are printed.
#include "counters/print/active_printer.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>  // mkdtemp

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"

#include "counters/planted_registry.hpp"
#include "counters/print/counter_options.hpp"
#include "counters/print/formats.hpp"

namespace active_printer_test {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using weft::counters::detail::active_printer;
using weft::counters::detail::counter_plan;
using weft::counters::detail::print_format;

constexpr const char* total = "/planted{locality#0/worker-thread#0}/total";
constexpr const char* missing = "/planted{locality#0/worker-thread#0}/missing";

class ActivePrinter : public testing::Test {
 protected:
  ActivePrinter() {
    std::string pattern = testing::TempDir() + "weft-active-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    plan.destination = folder_ / "counters";
    plan.counters = {{.name = total}};
  }
  ~ActivePrinter() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string content() const {
    std::ifstream from(plan.destination);
    return {std::istreambuf_iterator<char>(from), {}};
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::istringstream from(content());
    std::vector<std::string> all;
    for (std::string line; std::getline(from, line);) {
      all.push_back(line);
    }
    return all;
  }
  /// The values in lines of the format normal.
  [[nodiscard]] std::vector<std::string> values() const {
    std::vector<std::string> all;
    for (const std::string& line : lines()) {
      all.push_back(line.substr(line.rfind(',') + 1));
    }
    return all;
  }

  counter_plan plan;
  weft::test::planted_registry planted;

 private:
  std::filesystem::path folder_;
};

TEST_F(ActivePrinter, everything_is_printed_at_the_end_and_no_more) {
  active_printer printer(plan, planted.all());
  planted.count(5);
  EXPECT_THAT(lines(), IsEmpty());

  printer.finish();
  printer.finish();
  printer.print("late");

  EXPECT_THAT(lines(), SizeIs(1));
  EXPECT_THAT(content(),
              AllOf(StartsWith(std::string(total) + ",1,0."), testing::EndsWith(",[s],5\n")));
}

TEST_F(ActivePrinter, what_was_counted_before_the_start_does_not_count) {
  planted.count(100);
  active_printer printer(plan, planted.all());
  planted.count(5);

  printer.finish();

  EXPECT_THAT(values(), testing::ElementsAre("5"));
}

TEST_F(ActivePrinter, it_may_print_at_the_start_and_not_at_the_end) {
  plan.at_startup = true;
  plan.at_shutdown = false;
  active_printer printer(plan, planted.all());
  planted.count(5);

  printer.finish();

  EXPECT_THAT(values(), testing::ElementsAre("0"));
}

TEST_F(ActivePrinter, the_program_may_print_with_a_description) {
  active_printer printer(plan, planted.all());

  printer.print("first phase");

  EXPECT_THAT(content(), StartsWith(std::string("first phase\n") + total + ",1,"));
}

TEST_F(ActivePrinter, some_counters_count_anew_after_each_time) {
  plan.counters = {{.name = total}, {.name = total, .is_reset = true}};
  active_printer printer(plan, planted.all());

  planted.count(5);
  printer.print("");
  planted.count(2);
  printer.finish();

  EXPECT_THAT(values(), testing::ElementsAre("5", "5", "7", "2"));
}

TEST_F(ActivePrinter, the_program_may_reset_all) {
  active_printer printer(plan, planted.all());
  planted.count(5);

  printer.reset();
  planted.count(2);
  printer.finish();

  EXPECT_THAT(values(), testing::ElementsAre("2"));
}

TEST_F(ActivePrinter, an_interval_prints_at_the_start_and_again_and_again) {
  plan.counters = {{.name = total, .interval = milliseconds(1)}};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);

  active_printer printer(plan, planted.all());
  EXPECT_GE(lines().size(), 1u) << "the first is printed before anything can happen";
  while (lines().size() < 4 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  printer.finish();
  const std::size_t num_lines = lines().size();

  EXPECT_GE(num_lines, 5u) << "three intervals, start and end";
  EXPECT_THAT(lines().back(), HasSubstr(',' + std::to_string(num_lines) + ','));
}

TEST_F(ActivePrinter, each_counter_keeps_its_own_interval) {
  planted.add_workers(1);
  const std::string other = "/planted{locality#0/worker-thread#1}/total";
  plan.counters = {{.name = total, .interval = milliseconds(1)},
                   {.name = other, .interval = std::chrono::hours(1)}};
  plan.at_shutdown = false;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);

  active_printer printer(plan, planted.all());
  while (lines().size() < 6 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  printer.finish();

  const std::vector<std::string> all = lines();
  EXPECT_EQ(
      std::ranges::count_if(all, [&](const std::string& line) { return line.starts_with(other); }),
      1)
      << "only at the start";
}

TEST_F(ActivePrinter, a_counter_that_does_not_exist_is_an_error_with_the_nearest) {
  plan.counters = {{.name = "/planted{locality#0/worker-thread#0}/totals"}};

  EXPECT_THAT([&] { const active_printer printer(plan, planted.all()); },
              testing::ThrowsMessage<weft::error>(HasSubstr("/planted/total")));
}

TEST_F(ActivePrinter, a_counter_that_vanishes_is_unavailable_and_the_program_goes_on) {
  active_printer printer(plan, planted.all());

  planted.remove_all();
  printer.finish();

  EXPECT_THAT(content(), HasSubstr(",unavailable ("));
}

TEST_F(ActivePrinter, csv_tells_once_why_a_cell_is_empty) {
  static std::string told;
  told.clear();
  plan.format = print_format::csv;
  plan.counters = {{.name = total}, {.name = missing}};
  const auto before = weft::set_message_sink([](std::string_view text) noexcept { told += text; });

  active_printer printer(plan, planted.all());
  printer.print("");
  printer.finish();
  weft::set_message_sink(before);

  EXPECT_THAT(lines(),
              testing::ElementsAre(
                  "number,time,since_start_s,description," + std::string(total) + ',' + missing,
                  testing::EndsWith(",0,"),
                  testing::EndsWith(",0,")));
  EXPECT_EQ(told,
            "weft: cells stay empty, as there is no value: nothing to count\n  " +
                std::string(missing) + '\n');
}

TEST_F(ActivePrinter, csv_keeps_its_columns_when_workers_are_added) {
  static std::string told;
  told.clear();
  plan.format = print_format::csv;
  plan.counters = {{.name = "/planted{locality#0/worker-thread#*}/total"}};
  const auto before = weft::set_message_sink([](std::string_view text) noexcept { told += text; });

  active_printer printer(plan, planted.all());
  planted.add_workers(1);
  printer.finish();
  weft::set_message_sink(before);

  EXPECT_THAT(told,
              AllOf(StartsWith("weft: no column, as it appeared after these were chosen\n"),
                    HasSubstr("worker-thread#1}/total\n")));
  EXPECT_EQ(std::ranges::count(lines().back(), ','), std::ranges::count(lines().front(), ','));
}

TEST_F(ActivePrinter, csv_short_has_its_own_titles) {
  plan.format = print_format::csv_short;
  plan.counters = {{.name = total, .short_name = "n"}};
  active_printer printer(plan, planted.all());

  printer.finish();

  EXPECT_EQ(lines().front(), "number,time,since_start_s,description,n");
  EXPECT_THAT(lines().back(), testing::EndsWith(",0"));
}

TEST_F(ActivePrinter, a_column_of_csv_short_cannot_hold_several_counters) {
  planted.add_workers(1);
  plan.format = print_format::csv_short;
  plan.counters = {{.name = "/planted{locality#0/worker-thread#*}/total", .short_name = "n"}};

  EXPECT_THAT([&] { const active_printer printer(plan, planted.all()); },
              testing::ThrowsMessage<weft::error>(
                  AllOf(HasSubstr("means 2 counters, but csv-short has one column"),
                        HasSubstr(std::string("such as n,") + total))));
}

TEST_F(ActivePrinter, json_is_one_document_at_the_end) {
  plan.format = print_format::json;
  plan.at_startup = true;
  active_printer printer(plan, planted.all());
  planted.count(5);

  printer.finish();

  const auto document = nlohmann::json::parse(content());
  ASSERT_EQ(document.size(), 2u);
  EXPECT_EQ(document[1]["values"][0]["value"], 5);
}

TEST_F(ActivePrinter, openmetrics_is_always_one_whole_text) {
  plan.format = print_format::openmetrics;
  active_printer printer(plan, planted.all());
  planted.count(5);
  printer.print("");

  printer.finish();

  EXPECT_THAT(content(), HasSubstr("weft_planted_total_total{rank=\"0\",worker=\"0\"} 5\n"));
  EXPECT_EQ(content().find("# EOF"), content().rfind("# EOF"));
}

TEST_F(ActivePrinter, a_destination_that_cannot_be_written_is_told_at_the_start) {
  plan.destination = "/proc/no/such/file";

  EXPECT_THAT([&] { const active_printer printer(plan, planted.all()); },
              testing::ThrowsMessage<weft::error>(HasSubstr("cannot be written")));
}

}  // namespace active_printer_test
