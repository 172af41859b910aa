// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line: cross products, values in both spellings, mistakes.
#include "lab/harness/options.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/harness/errors.hpp"

namespace weft::lab {
namespace options_test {

using ::testing::HasSubstr;
using words = std::vector<std::string>;

TEST(CommandLine, lists_make_a_cross_product) {
  const words arguments{"--problem", "sort,find", "--size=8,2^4", "--threads", "1,2,4"};

  const command_line parsed = parse_command_line(arguments);

  ASSERT_EQ(parsed.cells.size(), 12U);
  EXPECT_EQ(parsed.cells.front().problem, "sort");
  EXPECT_EQ(parsed.cells.back().problem, "find");
  EXPECT_EQ(parsed.cells.back().size, 16U);
  EXPECT_EQ(parsed.cells.back().threads, 4);
}

TEST(CommandLine, options_are_the_fields_of_a_cell) {
  const words arguments{"--problem",
                        "for_each",
                        "--param",
                        "k_it=1000",
                        "--min-time-s",
                        "0.1",
                        "--placement",
                        "cores"};

  const command_line parsed = parse_command_line(arguments);

  ASSERT_EQ(parsed.cells.size(), 1U);
  EXPECT_EQ(parsed.cells[0].params.at("k_it"), 1000);
  EXPECT_EQ(parsed.cells[0].min_time_s, 0.1);
  EXPECT_TRUE(parsed.names_placement);
}

TEST(CommandLine, options_after_the_problem_still_count) {
  const words arguments{"--problem", "sort", "--seed", "7", "--protocol=paper"};

  const command_line parsed = parse_command_line(arguments);

  EXPECT_EQ(parsed.cells.at(0).seed, 7U);
  EXPECT_EQ(parsed.cells.at(0).protocol, "paper");
}

struct mistake {
  words arguments;
  std::string field;
  std::string hint;
};

class CommandLineMistake : public ::testing::TestWithParam<mistake> {};

TEST_P(CommandLineMistake, is_named_with_a_remedy) {
  try {
    const command_line parsed = parse_command_line(GetParam().arguments);
    FAIL() << "accepted as " << parsed.cells.size() << " cells";
  } catch (const bad_cell& problem) {
    EXPECT_EQ(problem.field(), GetParam().field);
    EXPECT_THAT(problem.what(), HasSubstr(GetParam().hint));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Arguments,
    CommandLineMistake,
    ::testing::Values(mistake{{"--treads", "2"}, "--treads", "did you mean \"--threads\"?"},
                      mistake{{"sort"}, "sort", "unknown option"},
                      mistake{{"--problem"}, "--problem", "needs a value"},
                      mistake{{"--problem", "--size"}, "--problem", "needs a value"},
                      mistake{{"--list=yes"}, "--list", "takes no value"},
                      mistake{{"--problem", "a", "--size", "8,x"}, "size", "\"x\""},
                      mistake{{"--param", "k_it"}, "params", "k_it=1000"}));

}  // namespace options_test
}  // namespace weft::lab
