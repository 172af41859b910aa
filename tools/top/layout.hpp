// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds numbers by name in a copy of a file of counter blocks, whatever version wrote it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/counters/segment.hpp"
#include "weft/counters/segment_format.hpp"

namespace weft::top {

/// The header's numbers that a viewer needs, read from a copy.
struct header_facts {
  std::uint64_t schema = 0;
  std::uint64_t num_fields = 0;
  std::uint64_t field_bytes = 0;
  std::uint64_t modules = 0;
  std::uint64_t modules_bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t num_blocks = 0;
  std::uint64_t pid = 0;
  std::uint64_t uid = 0;
  std::uint64_t start_clock_ticks = 0;
  std::uint64_t pid_namespace = 0;
  std::int64_t start_realtime_ns = 0;
  counters::clock_pair start = {};
  bool has_ended = false;
  std::string program = {};
  std::string command_line = {};
};

/// Reads the header at the beginning of a copy.
///
/// `file_bytes` is the size of the whole file, if the copy holds only its beginning.
/// Errors: `weft::error` if what the header names lies outside the file, or is more than any weft
///         program needs: 8192 blocks of 32 KiB, 4096 fields, 1 MiB before the blocks.
[[nodiscard]] header_facts read_header(std::span<const std::uint64_t> words,
                                       std::uint64_t file_bytes);
[[nodiscard]] header_facts read_header(std::span<const std::uint64_t> words);

/// Turns blocks of a file into those of this build.
///
/// Example: tests/top/layout_test.cpp: a_block_of_another_layout_is_read_by_name.
class layout {
 public:
  /// Reads the schema. Errors: `weft::error` if a field lies outside a block.
  layout(std::span<const std::uint64_t> words, const header_facts& header);

  /// Where a field of the file lies; null if it has none of that name.
  [[nodiscard]] const counters::segment_field* find(std::string_view name) const noexcept;

  /// Fills `slot` with what a block of the file holds under the same names.
  void translate(std::span<const std::byte> block, counters::block_slot& slot) const;

  /// Names that this build knows and the file does not have.
  [[nodiscard]] const std::vector<std::string>& missing() const noexcept { return missing_; }

 private:
  struct rule {
    counters::segment_field from;
    counters::segment_field to;
    std::vector<std::uint64_t> states;  // our number of each of the file's; others are copied
  };

  std::vector<counters::segment_field> fields_ = {};
  std::vector<rule> rules_ = {};
  std::vector<std::string> missing_ = {};
};

}  // namespace weft::top
