// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells from text and JSON: every field, and every way to get one wrong.
#include "lab/harness/cells.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/names.hpp"

namespace weft::lab {
namespace cells_test {

using ::testing::HasSubstr;

cell read(const std::string& line) {
  cell what;
  read_cell(line, what);
  return what;
}

TEST(Cell, every_field_is_read_from_json) {
  const cell what = read(
      R"({"id":"a1","problem":"sort","type":"int","size":8,"threads":3,"allocator":"first_touch",)"
      R"("placement":"cores","smt":"off","params":{"k_it":1000},"seed":18446744073709551615,)"
      R"("protocol":"paper","min_samples":2,"max_samples":5,"min_time_s":0.25,"max_time_s":1e0,)"
      R"("probe":"no"})");

  EXPECT_EQ(what.id, "a1");
  EXPECT_EQ(what.problem, "sort");
  EXPECT_EQ(what.type, "int");
  EXPECT_EQ(what.size, 8U);
  EXPECT_EQ(what.threads, 3);
  EXPECT_EQ(what.allocator, "first_touch");
  EXPECT_EQ(what.placement, "cores");
  EXPECT_EQ(what.smt, "off");
  EXPECT_EQ(what.params.at("k_it"), 1000);
  EXPECT_EQ(what.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(what.protocol, "paper");
  EXPECT_EQ(what.min_samples, 2U);
  EXPECT_EQ(what.max_samples, 5U);
  EXPECT_EQ(what.min_time_s, 0.25);
  EXPECT_EQ(what.max_time_s, 1.0);
  EXPECT_EQ(what.probe, "no");
}

TEST(Cell, sizes_may_be_powers_of_two) {
  cell what;

  set_field(what, "size", "2^20");

  EXPECT_EQ(what.size, 1048576U);
  EXPECT_EQ(read(R"({"size":"2^3"})").size, 8U);
}

TEST(Cell, the_id_is_known_even_if_another_field_is_bad) {
  cell what;

  EXPECT_THROW(read_cell(R"({"a":0,"threads":0,"id":"b7"})", what), bad_cell);

  EXPECT_EQ(what.id, "b7");
}

TEST(Cell, unknown_keys_are_ignored_but_near_misses_are_not) {
  EXPECT_EQ(read(R"({"problem":"sort","launch_of_the_run":4})").problem, "sort");
  EXPECT_THROW(read(R"({"problem":"sort","treads":4})"), bad_cell);
}

using bad_line =
    std::tuple<std::string, std::string, std::string>;  // line, field, part of the message

class BadCell : public ::testing::TestWithParam<bad_line> {};

TEST_P(BadCell, names_the_field_and_what_would_be_right) {
  const auto& [line, field, hint] = GetParam();
  try {
    check_fields(read(line));
    FAIL() << "accepted " << line;
  } catch (const bad_cell& problem) {
    EXPECT_EQ(problem.field(), field);
    EXPECT_THAT(problem.what(), HasSubstr(hint));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fields,
    BadCell,
    ::testing::Values(
        bad_line{R"({"problem":"so)", "line", "not valid JSON"},
        bad_line{R"({"problem":"x","size":8,"size":16})", "line", "\"size\" is given twice"},
        bad_line{R"({"problem":"x","params":{"k":1,"k":2}})", "line", "\"k\" is given twice"},
        bad_line{R"([1,2])", "line", "one JSON object"},
        bad_line{R"({"size":8})", "problem", "--list"},
        bad_line{R"({"problem":"x","type":"doubel"})", "type", "did you mean \"double\"?"},
        bad_line{R"({"problem":"x","size":0})", "size", "2^20"},
        bad_line{R"({"problem":"x","size":-1})", "size", "-1"},
        bad_line{R"({"problem":"x","size":1.5})", "size", "1.5"},
        bad_line{R"({"problem":"x","size":"2^64"})", "size", "2^64"},
        bad_line{R"({"problem":"x","size":99999999999999999999999})", "size", "elements"},
        bad_line{R"({"problem":"x","threads":0})", "threads", "from 1"},
        bad_line{R"({"problem":"x","threads":5000})", "threads", "4096"},
        bad_line{R"({"problem":"x","threads":"two"})", "threads", "two"},
        bad_line{R"({"problem":"x","allocator":"firsttouch"})", "allocator", "first_touch"},
        bad_line{R"({"problem":"x","placement":"core"})", "placement", "cores"},
        bad_line{R"({"problem":"x","smt":true})", "smt", "on, off"},
        bad_line{R"({"problem":"x","params":[1]})", "params", "k_it"},
        bad_line{R"({"problem":"x","params":{"k":"many"}})", "params", "params.k"},
        bad_line{R"({"problem":"x","seed":-4})", "seed", "-4"},
        bad_line{R"({"problem":"x","protocol":"papers"})", "protocol", "did you mean \"paper\"?"},
        bad_line{R"({"problem":"x","min_samples":0})", "min_samples", ">= 1"},
        bad_line{
            R"({"problem":"x","min_samples":20,"max_samples":10})", "min_samples", "max_samples"},
        bad_line{R"({"problem":"x","min_time_s":-1})", "min_time_s", "seconds"},
        bad_line{R"({"problem":"x","min_time_s":2})", "min_time_s", "raise max_time_s"},
        bad_line{R"({"problem":"x","max_time_s":1e300})", "max_time_s", "86400"},
        bad_line{R"({"problem":"x","max_time_s":"soon"})", "max_time_s", "soon"}));

TEST(Names, the_nearest_name_is_offered_unless_it_is_far) {
  const std::vector<std::string> names{"sort", "reduce", "inclusive_scan"};

  EXPECT_EQ(nearest_name("srot", names), "sort");
  EXPECT_EQ(nearest_name("inclusive-scan", names), "inclusive_scan");
  EXPECT_EQ(nearest_name("histogram", names), std::nullopt);
}

}  // namespace cells_test
}  // namespace weft::lab
