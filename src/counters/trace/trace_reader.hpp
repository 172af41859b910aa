// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the records of several rings in the order of their times, piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "weft/counters/trace_ring.hpp"

#include "counters/trace/trace_file.hpp"

namespace weft::counters::detail {

/// Reads one ring from its oldest record to the newest one at construction.
class ring_reader {
 public:
  explicit ring_reader(const ring_view& ring);

  /// Returns the next record; nothing at the end.
  [[nodiscard]] std::optional<trace_record> next();
  /// Returns how many records were overwritten before they could be read, so far.
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

/// A record and its ring.
struct merged_record {
  std::size_t ring;
  trace_record record;
};

/// Merges rings.
class merging_reader {
 public:
  explicit merging_reader(const std::vector<ring_view>& rings);

  [[nodiscard]] std::optional<merged_record> next();
  /// Returns the spawn record of `task` out of order, if it is the next record of some worker.
  [[nodiscard]] std::optional<merged_record> take_spawn_of(std::uint64_t task);
  [[nodiscard]] std::uint64_t num_lost(std::size_t ring) const { return readers_[ring].num_lost(); }
  [[nodiscard]] std::uint64_t num_lost() const;
  [[nodiscard]] std::size_t num_rings() const noexcept { return readers_.size(); }

 private:
  struct head {
    std::uint64_t ticks;
    std::size_t ring;
    bool operator>(const head& other) const noexcept { return ticks > other.ticks; }
  };
  void refill(std::size_t ring);

  std::vector<ring_reader> readers_;
  std::vector<std::optional<trace_record>> next_of_ring_;  // nothing: at the end, or taken
  std::priority_queue<head, std::vector<head>, std::greater<>> heads_;
};

}  // namespace weft::counters::detail
