// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about reading rings that wrap, also while they are written.
#include "counters/trace/trace_reader.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "weft/counters/trace_ring.hpp"

#include "counters/core/mapped_file.hpp"
#include "counters/core/untrusted_file.hpp"
#include "counters/trace/trace_file.hpp"

namespace trace_reader_test {

using testing::ElementsAre;
using weft::counters::trace_cell;
using weft::counters::trace_kind;
using weft::counters::trace_record;
using weft::counters::trace_ring;
using weft::counters::detail::file_descriptor;
using weft::counters::detail::mapping;
using weft::counters::detail::merging_reader;
using weft::counters::detail::ring_reader;
using weft::counters::detail::ring_view;
using weft::counters::detail::trace_slot_header;
using weft::counters::detail::untrusted_file;

/// A ring in a file without a name, written through a mapping as processes do.
template <std::size_t size>
class planted_ring {
 public:
  planted_ring() {
    std::uninitialized_value_construct_n(cells(), size);
    ::new (map_.bytes().data()) trace_slot_header;
  }

  void write(std::uint64_t ticks, trace_kind kind = trace_kind::begin) {
    // every word tells which record it belongs to
    ring_.write({.ticks = ticks, .subject = ticks, .label = ticks, .kind = kind});
  }
  /// As a damaged file has it.
  void claim(std::uint64_t num_written) { slot().num_written = num_written; }
  void cut_off() { ASSERT_EQ(::ftruncate(file_.descriptor(), sizeof(trace_slot_header)), 0); }
  [[nodiscard]] ring_view view() const { return {file_, 0, size}; }

 private:
  static constexpr std::size_t num_bytes = sizeof(trace_slot_header) + size * sizeof(trace_cell);

  static untrusted_file make_file() {
    file_descriptor file(::memfd_create("ring", MFD_CLOEXEC));
    EXPECT_EQ(::ftruncate(file.number(), num_bytes), 0);
    return untrusted_file(std::move(file));
  }
  static mapping map(const untrusted_file& file) {
    return {::mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0),
            num_bytes};
  }
  trace_slot_header& slot() { return *reinterpret_cast<trace_slot_header*>(map_.bytes().data()); }
  trace_cell* cells() {
    return reinterpret_cast<trace_cell*>(map_.bytes().data() + sizeof(trace_slot_header));
  }

  untrusted_file file_ = make_file();
  mapping map_ = map(file_);
  trace_ring ring_{std::span(cells(), size), slot().num_written};
};

std::vector<std::uint64_t> times(ring_reader& reader) {
  std::vector<std::uint64_t> result;
  while (const auto record = reader.next()) {
    result.push_back(record->ticks);
  }
  return result;
}

TEST(RingReader, an_empty_ring_has_no_records) {
  const planted_ring<8> ring;
  ring_reader reader(ring.view());

  EXPECT_FALSE(reader.next().has_value());
  EXPECT_EQ(reader.num_lost(), 0u);
}

TEST(RingReader, what_was_written_comes_in_its_order) {
  planted_ring<8> ring;
  for (const std::uint64_t ticks : {5u, 7u, 9u}) {
    ring.write(ticks);
  }
  ring_reader reader(ring.view());

  EXPECT_THAT(times(reader), ElementsAre(5, 7, 9));
  EXPECT_EQ(reader.num_lost(), 0u);
}

TEST(RingReader, a_full_ring_keeps_all_but_the_one_that_may_be_overwritten_now) {
  planted_ring<4> ring;
  for (std::uint64_t ticks = 0; ticks < 10; ++ticks) {
    ring.write(ticks);
  }
  ring_reader reader(ring.view());

  EXPECT_THAT(times(reader), ElementsAre(7, 8, 9));
  EXPECT_EQ(reader.num_lost(), 7u);
}

TEST(RingReader, what_is_overwritten_after_the_start_is_counted_as_lost) {
  planted_ring<8> ring;
  for (std::uint64_t ticks = 0; ticks < 8; ++ticks) {
    ring.write(ticks);
  }
  ring_reader reader(ring.view());  // would begin with 1
  for (std::uint64_t ticks = 8; ticks < 12; ++ticks) {
    ring.write(ticks);
  }

  EXPECT_THAT(times(reader), ElementsAre(5, 6, 7));
  EXPECT_EQ(reader.num_lost(), 5u);
}

TEST(RingReader, records_are_whole_and_in_order_while_the_ring_is_written) {
  planted_ring<64> ring;
  std::atomic<bool> has_enough = false;
  std::jthread writer([&] {
    for (std::uint64_t ticks = 0; !has_enough.load(); ++ticks) {
      ring.write(ticks);
    }
  });

  std::size_t num_read = 0;
  while (num_read < 20'000) {
    ring_reader reader(ring.view());
    std::uint64_t expected = reader.num_lost();
    while (const auto record = reader.next()) {
      expected = std::max(expected, reader.num_lost());
      ASSERT_EQ(record->subject, record->ticks);
      ASSERT_EQ(record->label, record->ticks);
      ASSERT_GE(record->ticks, expected);
      expected = record->ticks + 1;
      ++num_read;
    }
  }
  has_enough = true;
}

TEST(RingReader, a_ring_that_counts_records_without_end_ends_where_there_are_none) {
  (void)::alarm(60);
  planted_ring<8> ring;
  ring.claim(~std::uint64_t{0});
  ring_reader reader(ring.view());

  EXPECT_FALSE(reader.next().has_value());
  EXPECT_EQ(reader.num_lost(), ~std::uint64_t{0});
  (void)::alarm(0);
}

TEST(RingReader, what_is_cut_off_the_file_is_lost) {
  planted_ring<8> ring;
  ring.write(5);
  ring_reader reader(ring.view());

  ring.cut_off();

  EXPECT_FALSE(reader.next().has_value());
  EXPECT_EQ(reader.num_lost(), 1u);
}

TEST(MergingReader, records_of_several_rings_come_in_the_order_of_their_times) {
  planted_ring<8> first;
  planted_ring<8> second;
  for (const std::uint64_t ticks : {1u, 4u, 6u}) {
    first.write(ticks);
  }
  for (const std::uint64_t ticks : {2u, 3u, 7u}) {
    second.write(ticks);
  }
  merging_reader reader({first.view(), second.view()});

  std::vector<std::size_t> rings;
  std::uint64_t latest = 0;
  while (const auto next = reader.next()) {
    EXPECT_GT(next->record.ticks, latest);
    latest = next->record.ticks;
    rings.push_back(next->ring);
  }
  EXPECT_THAT(rings, ElementsAre(0, 1, 1, 0, 0, 1));
}

TEST(MergingReader, losses_of_all_rings_add_up) {
  planted_ring<4> first;
  planted_ring<4> second;
  for (std::uint64_t ticks = 0; ticks < 10; ++ticks) {
    first.write(ticks);
  }
  for (std::uint64_t ticks = 0; ticks < 5; ++ticks) {
    second.write(ticks);
  }

  EXPECT_EQ(merging_reader({first.view(), second.view()}).num_lost(), 7u + 2u);
}

TEST(MergingReader, the_spawn_of_a_task_can_be_taken_out_of_turn_if_its_worker_told_it_next) {
  planted_ring<8> first;
  planted_ring<8> second;
  first.write(1);
  second.write(4, trace_kind::spawn);
  second.write(5, trace_kind::spawn);
  merging_reader reader({first.view(), second.view()});

  EXPECT_FALSE(reader.take_spawn_of(1).has_value()) << "that is no spawn";
  EXPECT_FALSE(reader.take_spawn_of(5).has_value()) << "another record is before it";
  const auto taken = reader.take_spawn_of(4);
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->ring, 1u);
  EXPECT_EQ(taken->record.ticks, 4u);
  EXPECT_FALSE(reader.take_spawn_of(4).has_value()) << "it has been taken";

  std::vector<std::uint64_t> rest;
  while (const auto next = reader.next()) {
    rest.push_back(next->record.ticks);
  }
  EXPECT_THAT(rest, ElementsAre(1, 5));
}

}  // namespace trace_reader_test
