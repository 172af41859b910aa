// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about reading blocks that another version laid out.
#include "top/layout.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/counters/segment.hpp"
#include "weft/counters/segment_format.hpp"
#include "weft/counters/worker_block.hpp"

namespace layout_test {

using testing::Contains;
using testing::Not;
using weft::counters::block_slot;
using weft::counters::field_kind;
using weft::counters::segment_field;
using weft::top::header_facts;
using weft::top::layout;

segment_field field(std::string_view name,
                    std::string_view unit,
                    field_kind kind,
                    std::uint32_t offset_bytes) {
  segment_field made;
  std::ranges::copy(name, made.name.begin());
  std::ranges::copy(unit, made.unit.begin());
  made.kind = kind;
  made.offset_bytes = offset_bytes;
  return made;
}

/// A file whose weft had its own ideas of order and states.
struct other_file {
  std::array<segment_field, 4> fields = {
      field("tasks_executed", "", field_kind::total, 16),
      field("what nobody knows", "", field_kind::total, 0),
      field("state", "dreaming|parked|executing", field_kind::state, 24),
      field("steals_won", "ticks", field_kind::total, 8)};  // the same name, but another unit
  header_facts header{
      .num_fields = fields.size(), .field_bytes = sizeof(segment_field), .block_bytes = 32};

  [[nodiscard]] layout read() const {
    std::vector<std::uint64_t> words(sizeof fields / sizeof(std::uint64_t));
    std::memcpy(words.data(), fields.data(), sizeof fields);
    return {words, header};
  }
};

TEST(Layout, a_block_of_another_layout_is_read_by_name) {
  const layout read = other_file().read();
  const std::array<std::uint64_t, 4> block = {1, 2, 3, 1};
  block_slot slot;

  read.translate(std::as_bytes(std::span(block)), slot);

  EXPECT_EQ(slot.block.tasks_executed.value(), 3u);
  EXPECT_EQ(slot.block.state(), weft::counters::worker_state::parked);
}

TEST(Layout, what_means_something_else_is_missing) {
  const layout read = other_file().read();

  EXPECT_THAT(read.missing(), Contains("steals_won"));
  EXPECT_THAT(read.missing(), Contains("parks"));
  EXPECT_THAT(read.missing(), Not(Contains("tasks_executed")));
}

TEST(Layout, a_state_nobody_knows_is_none_of_ours) {
  const layout read = other_file().read();
  const std::array<std::uint64_t, 4> block = {0, 0, 0, 0};  // dreaming
  block_slot slot;

  read.translate(std::as_bytes(std::span(block)), slot);

  EXPECT_GT(slot.block.state(), weft::counters::worker_state::absent);
}

TEST(Layout, a_field_outside_its_block_is_refused) {
  other_file file;
  file.fields[0].offset_bytes = 32;

  EXPECT_THROW((void)file.read(), weft::error);
}

TEST(Layout, of_this_build_misses_nothing) {
  const auto schema = weft::counters::segment_schema();
  std::vector<std::uint64_t> words(schema.size_bytes() / sizeof(std::uint64_t));
  std::memcpy(words.data(), schema.data(), schema.size_bytes());
  const layout read(words,
                    {.num_fields = schema.size(),
                     .field_bytes = sizeof(segment_field),
                     .block_bytes = sizeof(block_slot)});
  block_slot original;
  original.block.samples.task.ticks.add(2.5);
  original.block.histograms.queue_delay.weight[7].add(9);
  block_slot copy;

  read.translate(std::as_bytes(std::span(&original, 1)), copy);

  EXPECT_TRUE(read.missing().empty());
  EXPECT_EQ(copy.block.samples.task.ticks.value(), 2.5);
  EXPECT_EQ(copy.block.histograms.queue_delay.weight[7].value(), 9u);
}

}  // namespace layout_test
