// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies records out of rings, which may be written meanwhile.
#include "counters/trace/trace_reader.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "weft/counters/trace_ring.hpp"

#include "counters/trace/trace_file.hpp"

namespace weft::counters::detail {

namespace {

/// Returns the oldest complete record. The one being written, number `num_written`, replaces the
/// record one ring size before it.
std::uint64_t oldest_whole(std::uint64_t num_written, std::size_t ring_size) noexcept {
  return num_written < ring_size ? 0 : num_written - ring_size + 1;
}

bool is_unwritten(const trace_record& record) noexcept { return record.kind == trace_kind::none; }

}  // namespace

ring_reader::ring_reader(const ring_view& ring)
    : ring_(ring),
      end_(ring.num_written()),
      number_(oldest_whole(end_, ring.size())),
      num_lost_(number_) {}

void ring_reader::copy_piece() {
  constexpr std::uint64_t most_records = 4096;
  piece_.clear();
  next_in_piece_ = 0;
  while (piece_.empty() && number_ < end_) {
    const std::uint64_t first = number_;
    const std::uint64_t num_asked = std::min({end_ - first, most_records, ring_.size()});
    ring_.copy(first, num_asked, piece_);
    if (piece_.size() < num_asked || std::ranges::all_of(piece_, is_unwritten)) {
      number_ = end_;  // the file was truncated, or is damaged and counts missing records
      num_lost_ += end_ - first;
      piece_.clear();
      return;
    }
    number_ = first + num_asked;
    // acquire: pairs with the release fence of trace_ring::write(). If a word of a newer record was
    // copied, the records before it have been counted.
    std::atomic_thread_fence(std::memory_order_acquire);
    const std::uint64_t written = ring_.num_written();
    const std::uint64_t whole = std::max(oldest_whole(written, ring_.size()), first);
    const auto num_torn = static_cast<std::ptrdiff_t>(std::min(whole, number_) - first);
    piece_.erase(piece_.begin(), piece_.begin() + num_torn);
    number_ = std::min(std::max(number_, whole), end_);
    num_lost_ += number_ - first - piece_.size();
  }
}

std::optional<trace_record> ring_reader::next() {
  if (next_in_piece_ == piece_.size()) {
    copy_piece();
  }
  return next_in_piece_ == piece_.size() ? std::nullopt : std::optional(piece_[next_in_piece_++]);
}

merging_reader::merging_reader(const std::vector<ring_view>& rings) {
  for (const ring_view& ring : rings) {
    readers_.emplace_back(ring);
  }
  next_of_ring_.resize(readers_.size());
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    refill(i);
  }
}

void merging_reader::refill(std::size_t ring) {
  next_of_ring_[ring] = readers_[ring].next();
  if (const auto& record = next_of_ring_[ring]) {
    heads_.push({.ticks = record->ticks, .ring = ring});
  }
}

std::optional<merged_record> merging_reader::next() {
  std::optional<merged_record> first;
  while (!first && !heads_.empty()) {
    const std::size_t ring = heads_.top().ring;
    heads_.pop();
    if (const auto& record = next_of_ring_[ring]) {
      first = {.ring = ring, .record = *record};
    }
    refill(ring);
  }
  return first;
}

std::optional<merged_record> merging_reader::take_spawn_of(std::uint64_t task) {
  for (std::size_t i = 0; i < next_of_ring_.size(); ++i) {
    auto& record = next_of_ring_[i];
    if (record && record->kind == trace_kind::spawn && record->subject == task) {
      const merged_record taken{.ring = i, .record = *record};
      record.reset();
      return taken;
    }
  }
  return std::nullopt;
}

std::uint64_t merging_reader::num_lost() const {
  std::uint64_t sum = 0;
  for (const ring_reader& reader : readers_) {
    sum += reader.num_lost();
  }
  return sum;
}

}  // namespace weft::counters::detail
