// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the command line; wrong ones are in test_top_errors.py.
#include "top/options.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace options_test {

using testing::ElementsAre;
using weft::top::output_format;
using weft::top::parse_options;
using weft::top::top_options;

TEST(TopOptions, without_arguments_ask_for_nothing) {
  const top_options options = parse_options({});

  EXPECT_FALSE(options.pid.has_value());
  EXPECT_FALSE(options.is_once);
  EXPECT_EQ(options.format, output_format::text);
}

TEST(TopOptions, values_stand_behind_a_blank_or_an_equals_sign) {
  const std::vector<const char*> given = {"--pid", "42", "--interval=250ms", "--json"};

  const top_options options = parse_options(given);

  EXPECT_EQ(options.pid, 42u);
  EXPECT_EQ(options.interval_s, 0.25);
  EXPECT_EQ(options.format, output_format::json);
}

TEST(TopOptions, what_follows_two_dashes_is_the_programs) {
  const std::vector<const char*> given = {"--once", "--", "fib", "--json", "30"};

  const top_options options = parse_options(given);

  EXPECT_THAT(options.program, ElementsAre("fib", "--json", "30"));
  EXPECT_EQ(options.format, output_format::text);
}

}  // namespace options_test
