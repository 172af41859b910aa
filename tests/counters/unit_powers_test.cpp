// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about units of products and quotients.
#include "counters/families/unit_powers.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace unit_powers_test {

using weft::counters::detail::product_unit;
using weft::counters::detail::quotient_unit;

std::string product(const std::vector<std::string>& units) { return product_unit(units); }
std::string quotient(const std::vector<std::string>& units) { return quotient_unit(units); }

TEST(UnitPowers, products_compose) {
  EXPECT_EQ(product({"ns"}), "ns");
  EXPECT_EQ(product({"", "ns", ""}), "ns");
  EXPECT_EQ(product({"ns", "bytes"}), "ns*bytes");
  EXPECT_EQ(product({"ns", "ns"}), "ns^2");
  EXPECT_EQ(product({"ns^2", "ns"}), "ns^3");
  EXPECT_EQ(product({"0.01%", "ns"}), "0.01%*ns");
  EXPECT_EQ(product({"", ""}), "");
}

TEST(UnitPowers, quotients_of_equal_units_are_ratios) {
  EXPECT_EQ(quotient({"ns", "ns"}), "");
  EXPECT_EQ(quotient({"ns*bytes", "bytes", "ns"}), "");
  EXPECT_EQ(quotient({"ns^2", "ns"}), "ns");
}

TEST(UnitPowers, quotients_keep_what_does_not_cancel) {
  EXPECT_EQ(quotient({"bytes", "ns"}), "bytes/ns");
  EXPECT_EQ(quotient({"", "ns"}), "1/ns");
  EXPECT_EQ(quotient({"bytes/s", "bytes"}), "1/s");
  EXPECT_EQ(quotient({"1/s", "1/s"}), "");
  EXPECT_EQ(quotient({"a", "b", "b"}), "a/b^2");
  EXPECT_EQ(quotient({"a", "b/c", "d"}), "a*c/b/d");
  EXPECT_EQ(product({"a/b/c", "c"}), "a/b");
}

}  // namespace unit_powers_test
