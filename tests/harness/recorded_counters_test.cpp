// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the table of the counters that records have.
#include <set>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/harness/process_readings.hpp"

namespace recorded_counters_test {

using testing::AnyOf;
using testing::MatchesRegex;
using weft::lab::recorded_counters;

TEST(RecordedCounters, names_are_unique_and_in_one_style) {
  std::set<std::string_view> names;
  for (const auto& row : recorded_counters) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_THAT(std::string(row.name), MatchesRegex("[a-z][a-z0-9_]*"));
  }
}

TEST(RecordedCounters, every_row_has_a_unit_a_source_and_a_note) {
  for (const auto& row : recorded_counters) {
    EXPECT_THAT(row.unit, AnyOf("s", "events", "bytes")) << row.name;
    EXPECT_FALSE(row.source.empty()) << row.name;
    EXPECT_FALSE(row.note.empty()) << row.name;
  }
}

TEST(RecordedCounters, only_memory_controllers_count_other_processes) {
  for (const auto& row : recorded_counters) {
    EXPECT_EQ(row.scope == weft::lab::counter_scope::machine, row.source == "perf_event uncore")
        << row.name;
  }
}

}  // namespace recorded_counters_test
