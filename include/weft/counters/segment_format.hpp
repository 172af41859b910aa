// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The format of a file of counter blocks. The file describes itself: a reader of another version
// finds known fields by name.
//
//   byte 0        segment_header
//   header.schema segment_field, header.num_fields of them
//   header.modules  text: a line per loaded file, see module_lines()
//   header.blocks   header.num_blocks blocks, header.block_bytes apart
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::counters {

/// The meaning of one field of a published block: how readers show its number.
// NOLINTNEXTLINE(performance-enum-size): part of a file in which every field keeps its size
enum class field_kind : std::uint32_t {
  number,     // says which one it is: a worker's index
  total,      // only grows
  gauge,      // what is now
  state,      // which of the words of `unit`, which are separated by '|', counted from 0
  real,       // total that is the bits of a double
  histogram,  // totals: a row of ranges, `ranges_per_doubling` of them from 2^n to 2^(n+1)
  address,    // of code, see the module lines
};

/// A number, or an array of them, that every block has.
struct segment_field {
  std::array<char, 40> name{};
  std::array<char, 56> unit{};
  field_kind kind = field_kind::total;
  std::uint32_t offset_bytes = 0;   // from the start of the block
  std::uint32_t element_bytes = 8;  // an unsigned integer of this size, in the processor's order
  std::uint32_t num_elements = 1;
  std::uint32_t stride_bytes = 8;         // from one element to the next
  std::uint32_t ranges_per_doubling = 0;  // of a histogram: range i < this holds the number i
};

/// The owner of a block's numbers.
// NOLINTNEXTLINE(performance-enum-size): a word of the file, as every state of a block
enum class block_owner : std::uint64_t {
  nobody,    // zeros
  departed,  // a worker that left an open pool and may come back
  present,   // a worker
  closed,    // sums of all workers of pools that are no more
};

/// Two clocks at one moment: with a second pair a reader knows how long a tick is.
struct clock_pair {
  std::uint64_t ticks = 0;        // of weft::counters::ticks_now()
  std::int64_t monotonic_ns = 0;  // of CLOCK_MONOTONIC
};

/// The beginning of a segment: what it is, of which process, and where its parts are.
struct segment_header {
  static constexpr std::uint64_t expected_magic = 0x5441545354464557;  // "WEFTSTAT" in memory
  static constexpr std::uint32_t current_version = 1;
  static constexpr std::uint32_t expected_byte_order = 0x01020304;

  std::atomic<std::uint64_t> magic{0};  // written last: the file is whole
  std::uint32_t version = current_version;
  std::uint32_t byte_order = expected_byte_order;

  std::uint64_t schema = 0;  // offsets from the file's start, in bytes
  std::uint64_t num_fields = 0;
  std::uint64_t field_bytes = sizeof(segment_field);
  std::uint64_t modules = 0;
  std::atomic<std::uint64_t> modules_bytes{0};
  std::uint64_t blocks = 0;
  std::uint64_t block_bytes = 0;
  std::atomic<std::uint64_t> num_blocks{0};
  /// Odd while blocks change owners. A reader that sees the same even number before and after its
  /// copy has counted no worker twice.
  std::atomic<std::uint64_t> changes{0};

  std::uint64_t pid = 0;
  std::uint64_t uid = 0;
  std::uint64_t start_clock_ticks = 0;  // since boot, as in /proc/<pid>/stat
  std::uint64_t pid_namespace = 0;      // inode of /proc/<pid>/ns/pid
  std::int64_t start_realtime_ns = 0;   // since 1970
  clock_pair start;
  std::atomic<std::uint64_t> has_ended{0};  // 1: the process ended as processes should
  std::array<char, 128> program{};          // as typed, without folders
  std::array<char, 256> command_line{};     // cut to fit
};

}  // namespace weft::counters
