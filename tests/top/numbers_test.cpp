// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about printed numbers.
#include "top/numbers.hpp"

#include <optional>

#include <gtest/gtest.h>

namespace numbers_test {

using namespace weft::top;

TEST(Numbers, counts_have_three_digits) {
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(7), "7");
  EXPECT_EQ(short_count(52.96), "53.0");
  EXPECT_EQ(short_count(999), "999");
  EXPECT_EQ(short_count(999.6), "1.00 k");
  EXPECT_EQ(short_count(12'345), "12.3 k");
  EXPECT_EQ(short_count(999'960), "1.00 M");
  EXPECT_EQ(short_count(1.234e9), "1.23 G");
}

TEST(Numbers, times_have_the_unit_that_fits) {
  EXPECT_EQ(short_time(0.0), "0 s");
  EXPECT_EQ(short_time(8.5e-10), "0.85 ns");
  EXPECT_EQ(short_time(1.234e-6), "1.23 us");
  EXPECT_EQ(short_time(0.0123), "12.3 ms");
  EXPECT_EQ(short_time(59.96), "60.0 s");
  EXPECT_EQ(short_time(200.0), "3 min 20 s");
  EXPECT_EQ(short_time(3599.0), "59 min 59 s");
  EXPECT_EQ(short_time(3600.0), "1 h 0 min");
  EXPECT_EQ(short_time(7500.0), "2 h 5 min");
  EXPECT_EQ(short_time(std::nullopt), "-");
}

TEST(Numbers, that_no_program_has_are_printed_all_the_same) {
  EXPECT_FALSE(short_count(-1e300).empty());
  EXPECT_FALSE(short_time(-1e300).empty());
  EXPECT_EQ(short_time(1e300), short_time(1e15));
}

TEST(Numbers, bytes_and_shares) {
  EXPECT_EQ(short_bytes(35'861'299), "34.2 MiB");
  EXPECT_EQ(short_share(0.1234), "12.3 %");
  EXPECT_EQ(short_share(1), "100 %");
}

TEST(Numbers, exact_ones_can_be_read_back) {
  EXPECT_EQ(exact(0.1), "0.1");
  EXPECT_EQ(exact(1e300), "1e+300");
  EXPECT_EQ(exact(1763728505.123456), "1763728505.123456");
}

}  // namespace numbers_test
