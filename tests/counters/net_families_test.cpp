// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about counters of network interfaces on planted machines.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "counters/families/net.hpp"
#include "tests/counters/planted_families.hpp"
#include "tests/support/fake_root.hpp"

namespace net_families_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using weft::counters::detail::net_families;
using weft::counters::test::number_of;
using weft::counters::test::planted_families;
using weft::counters::test::read;
using weft::counters::test::reset;

class NetFamilies : public testing::Test {
 protected:
  void plant(const std::string& lines) {
    root_.write("proc/self/net/dev",
                "Inter-|   Receive                            |  Transmit\n"
                " face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs "
                "drop fifo colls carrier compressed\n" +
                    lines);
  }
  double value_of(const std::string& name) const { return number_of(read(*families_.make(name))); }

  weft::test::fake_root root_;
  planted_families families_{net_families(root_.path())};
};

TEST_F(NetFamilies, every_interface_is_an_instance) {
  plant(
      "    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
      "eth0.7:1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16");

  EXPECT_THAT(
      families_.instances("/net/bytes_received"),
      ElementsAre("/net{locality#0/lo}/bytes_received", "/net{locality#0/eth0.7}/bytes_received"));
}

TEST_F(NetFamilies, each_counter_reads_its_column) {
  plant("  eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16");

  EXPECT_EQ(value_of("/net{locality#0/eth0}/bytes_received"), 1);
  EXPECT_EQ(value_of("/net{locality#0/eth0}/packets_received"), 2);
  EXPECT_EQ(value_of("/net{locality#0/eth0}/errors_received"), 3);
  EXPECT_EQ(value_of("/net{locality#0/eth0}/bytes_sent"), 9);
  EXPECT_EQ(value_of("/net{locality#0/eth0}/packets_sent"), 10);
  EXPECT_EQ(value_of("/net{locality#0/eth0}/errors_sent"), 11);
}

TEST_F(NetFamilies, an_interface_that_vanishes_is_unavailable_and_others_go_on) {
  plant("a: 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\nb: 6 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");
  const auto a = families_.make("/net{locality#0/a}/bytes_received");
  const auto b = families_.make("/net{locality#0/b}/bytes_received");
  reset(*a);
  reset(*b);

  plant("b: 16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");

  EXPECT_THAT(read(*a).reason, HasSubstr("no network interface a now; there are b"));
  EXPECT_EQ(number_of(read(*b)), 10);
}

TEST_F(NetFamilies, an_interface_that_was_made_anew_is_not_a_negative_number) {
  plant("a: 500 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");
  const auto bytes = families_.make("/net{locality#0/a}/bytes_received");
  reset(*bytes);

  plant("a: 20 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");

  EXPECT_THAT(read(*bytes).reason, HasSubstr("began anew"));
  reset(*bytes);
  plant("a: 25 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");
  EXPECT_EQ(number_of(read(*bytes)), 5);
}

TEST_F(NetFamilies, lines_that_are_cut_short_are_unavailable) {
  plant("a: 500 0 0");

  EXPECT_THAT(read(*families_.make("/net{locality#0/a}/bytes_sent")).reason,
              HasSubstr("no such column"));
}

TEST_F(NetFamilies, names_that_fit_in_no_counter_name_are_left_out) {
  plant("a#b: 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");

  EXPECT_THAT(families_.instances("/net/bytes_sent"), IsEmpty());
}

TEST_F(NetFamilies, without_proc_there_are_no_interfaces) {
  EXPECT_THAT(families_.instances("/net/bytes_sent"), IsEmpty());
  EXPECT_THAT(read(*families_.make("/net{locality#0/a}/bytes_sent")).reason,
              HasSubstr("is /proc mounted"));
}

}  // namespace net_families_test
