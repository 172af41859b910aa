// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the records of several rings in the order of their times, a piece at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "weft/counters/trace_ring.hpp"

#include "counters/trace_file.hpp"

namespace weft::counters::detail {

/// Reads one ring from its oldest record to the one that was the newest at construction.
class ring_reader {
 public:
  explicit ring_reader(const ring_view& ring);

  /// The next record; nothing at the end.
  [[nodiscard]] std::optional<trace_record> next();
  /// Records that were overwritten before they could be read, so far.
  [[nodiscard]] std::uint64_t num_lost() const noexcept { return num_lost_; }

 private:
  void copy_piece();

  ring_view ring_;
  std::uint64_t end_;
  std::uint64_t number_;  // of the next record to copy
  std::uint64_t num_lost_;
  std::vector<trace_record> piece_;
  std::size_t next_in_piece_ = 0;
};

/// A record and the ring it comes from.
struct merged_record {
  std::size_t ring;
  trace_record record;
};

/// Merges rings.
class merging_reader {
 public:
  explicit merging_reader(const std::vector<ring_view>& rings);

  [[nodiscard]] std::optional<merged_record> next();
  [[nodiscard]] std::uint64_t num_lost(std::size_t ring) const { return readers_[ring].num_lost(); }
  [[nodiscard]] std::uint64_t num_lost() const;
  [[nodiscard]] std::size_t num_rings() const noexcept { return readers_.size(); }

 private:
  struct is_later {
    bool operator()(const merged_record& a, const merged_record& b) const noexcept {
      return a.record.ticks > b.record.ticks;
    }
  };
  void refill(std::size_t ring);

  std::vector<ring_reader> readers_;
  std::priority_queue<merged_record, std::vector<merged_record>, is_later> heads_;
};

}  // namespace weft::counters::detail
