// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the texts that options accept, and above all about those they do not.
#include <chrono>
#include <cstddef>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/options.hpp"

namespace option_parsers_test {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(WholeNumber, is_all_digits_and_in_its_range) {
  const auto parse = weft::base::whole_number(-2, 1024).parse;

  EXPECT_EQ(parse("1024"), 1024);
  EXPECT_EQ(parse("-2"), -2);
  for (const char* text : {"1025",
                           "-3",
                           "",
                           " 1",
                           "1 ",
                           "1.5",
                           "0x10",
                           "four",
                           "+4",
                           "4KiB",
                           "99999999999999999999"}) {
    EXPECT_EQ(parse(text), std::nullopt) << text;
  }
}

TEST(SizeInBytes, has_binary_units) {
  const auto parse = weft::base::size_in_bytes(1, std::size_t{1} << 40).parse;

  EXPECT_EQ(parse("65536"), 65536u);
  EXPECT_EQ(parse("64KiB"), 64u << 10);
  EXPECT_EQ(parse("1 MiB"), 1u << 20);
  EXPECT_EQ(parse("2GiB"), std::size_t{2} << 30);
  for (const char* text : {"0",
                           "-1",
                           "",
                           "64K",
                           "64kib",
                           "64KB",
                           "1.5MiB",
                           "MiB",
                           "1  MiB",
                           "1 ",
                           "18446744073709551615GiB"}) {
    EXPECT_EQ(parse(text), std::nullopt) << text;
  }
}

TEST(SizeInBytes, says_its_range_in_the_largest_unit) {
  EXPECT_THAT(weft::base::size_in_bytes(std::size_t{64} << 10, std::size_t{1} << 30).accepts,
              HasSubstr("from 64 KiB to 1 GiB"));
  EXPECT_THAT(weft::base::size_in_bytes(1, 1025).accepts, HasSubstr("from 1 bytes to 1025 bytes"));
}

TEST(Duration, needs_a_unit) {
  const auto parse = weft::base::duration().parse;

  EXPECT_EQ(parse("250us"), 250us);
  EXPECT_EQ(parse("1.5 s"), 1500ms);
  EXPECT_EQ(parse("2min"), 2min);
  EXPECT_EQ(parse("0ns"), std::chrono::nanoseconds::zero());
  for (const char* text : {"250", "-1s", "", "s", "1 week", "nan s", "inf s", "1e300h", "1s "}) {
    EXPECT_EQ(parse(text), std::nullopt) << text;
  }
}

TEST(YesOrNo, is_written_in_three_ways) {
  const auto parse = weft::base::yes_or_no().parse;

  EXPECT_EQ(parse("yes"), true);
  EXPECT_EQ(parse("on"), true);
  EXPECT_EQ(parse("0"), false);
  EXPECT_EQ(parse("maybe"), std::nullopt);
}

TEST(OneOf, lists_its_choices) {
  const auto parser = weft::base::one_of<int>({{"low", 1}, {"high", 2}});

  EXPECT_EQ(parser.accepts, "one of low, high");
  EXPECT_EQ(parser.parse("high"), 2);
  EXPECT_EQ(parser.parse("High"), std::nullopt);
}

}  // namespace option_parsers_test
