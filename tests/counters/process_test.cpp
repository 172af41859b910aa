// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about a session over the whole process, on the kernel this test runs on.
#include "weft/counters/process.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "weft/counters/catalog.hpp"

namespace {

using weft::counters::catalog;
using weft::counters::process_session;
using weft::counters::reading;

reading find(const std::vector<reading>& readings, const std::string& name) {
  return *std::ranges::find(readings, name, &reading::name);
}

TEST(ProcessSession, reports_every_row_of_the_catalog_in_order) {
  const auto readings = process_session{}.readings();

  ASSERT_EQ(readings.size(), catalog().size());
  for (std::size_t i = 0; i < readings.size(); ++i) {
    EXPECT_EQ(readings[i].name, catalog()[i].name);
    EXPECT_EQ(readings[i].unit, catalog()[i].unit);
  }
}

TEST(ProcessSession, has_no_values_but_reasons_before_the_first_stop) {
  process_session session;
  session.start();

  for (const reading& read : session.readings()) {
    EXPECT_FALSE(read.value.has_value()) << read.name;
    EXPECT_FALSE(read.reason.empty()) << read.name;
  }
}

TEST(ProcessSession, voluntary_context_switches_grow_on_sleep) {
  process_session session;

  session.start();
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  session.stop();

  EXPECT_GE(find(session.readings(), "context_switches_voluntary").value.value_or(0), 5);
}

}  // namespace
