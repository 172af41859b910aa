// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page about counters says what is registered, and a page that says something else is noticed.
#include "page.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

namespace page_test {

using testing::AllOf;
using testing::HasSubstr;
using weft::counters::counter_kind;
using weft::counters::counter_name;
using weft::counters::parse_counter_name;
using weft::counters::registration;
using weft::reference::counter_page;
using weft::reference::first_difference;
using weft::reference::option_page;

/// One that nobody makes.
registration add(weft::counters::registry& to,
                 weft::counters::counter_type type,
                 const std::string& instance) {
  return to.add({.type = std::move(type),
                 .instances = [instance] { return std::vector{parse_counter_name(instance)}; },
                 .make = [](const counter_name&) { return nullptr; }});
}

TEST(CounterPage, has_a_row_for_each_type) {
  weft::counters::registry all;
  const registration first = add(
      all,
      {.name = "/apples/time/ripe", .unit = "s", .help = "How long", .kind = counter_kind::gauge},
      "/apples{locality#0/total}/time/ripe");
  const registration second =
      add(all,
          {.name = "/pears/count", .unit = "", .help = "How many.", .kind = counter_kind::total},
          "/pears{locality#0/pool#x/worker-thread#0}/count");

  const registration third =
      add(all,
          {.name = "/plums/heat", .unit = "C", .help = "How hot.", .kind = counter_kind::gauge},
          "/plums{locality#0/device#0}/heat");

  EXPECT_THAT(counter_page(all),
              AllOf(HasSubstr("## /apples\n"),
                    HasSubstr("| `/apples/time/ripe` | `s` | gauge | process | How long. |\n"),
                    HasSubstr("## /pears\n"),
                    HasSubstr("| `/pears/count` |  | total | worker | How many. |\n"),
                    HasSubstr("| `/plums/heat` | `C` | gauge | device | How hot. |\n")));
}

TEST(OptionPage, has_a_row_for_each_option) {
  constexpr std::string_view help =
      "Options of weft; arguments after -- are left alone.\n"
      "\n  --weft:ripe[=...]\n      Eats a|b.\n      Accepted: 1 to 2048. Default: no.\n"
      "\n  --weft:sour=...\n      Or not.\n      Accepted: one of a, b. Default: a. Environment: "
      "WEFT_SOUR.\n";

  EXPECT_THAT(
      option_page(help, 2048),
      AllOf(
          HasSubstr("| `--weft:ripe[=...]` | Eats a\\|b. | 1 to 1024, or 16 per CPU if that is "
                    "more. Default: no. |\n"),
          HasSubstr("| `--weft:sour=...`, `WEFT_SOUR` | Or not. | one of a, b. Default: a. |\n")));
}

TEST(OptionPage, a_text_that_is_laid_out_in_another_way_is_an_error) {
  EXPECT_THROW(static_cast<void>(option_page("Options\n\n  ripe\n  eats\n", 1)), weft::error);
}

TEST(CounterPage, a_page_is_like_itself) { EXPECT_EQ(first_difference("a\nb\n", "a\nb\n"), ""); }

TEST(CounterPage, the_first_line_that_differs_is_named) {
  EXPECT_EQ(first_difference("a\nbc\nd\n", "a\nbx\ny\n"), "line 2 is\n  bx\nand should be\n  bc\n");
}

TEST(CounterPage, a_line_too_few_or_too_many_is_a_difference) {
  EXPECT_EQ(first_difference("a\nb\n", "a\n"), "line 2 is\n  \nand should be\n  b\n");
  EXPECT_EQ(first_difference("a\n", "a\nb\n"), "line 2 is\n  b\nand should be\n  \n");
  EXPECT_EQ(first_difference("a\n", "b\n"), "line 1 is\n  b\nand should be\n  a\n");
}

}  // namespace page_test
