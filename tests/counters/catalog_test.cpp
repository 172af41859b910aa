// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the table of counters.
#include "weft/counters/catalog.hpp"

#include <set>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catalog_test {

using testing::AnyOf;
using testing::MatchesRegex;
using weft::counters::catalog;

TEST(Catalog, names_are_unique_and_in_one_style) {
  std::set<std::string_view> names;
  for (const auto& row : catalog()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_THAT(std::string(row.name), MatchesRegex("[a-z][a-z0-9_]*"));
  }
}

TEST(Catalog, every_row_has_a_unit_a_source_and_a_note) {
  for (const auto& row : catalog()) {
    EXPECT_THAT(row.unit, AnyOf("s", "events", "bytes")) << row.name;
    EXPECT_FALSE(row.source.empty()) << row.name;
    EXPECT_FALSE(row.note.empty()) << row.name;
  }
}

TEST(Catalog, only_memory_controllers_count_other_processes) {
  for (const auto& row : catalog()) {
    EXPECT_EQ(row.scope == weft::counters::counter_scope::machine,
              row.source == "perf_event uncore")
        << row.name;
  }
}

}  // namespace catalog_test
