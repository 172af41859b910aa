// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of a range that belong to buckets, brought to them by all workers at once and in place.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include <sched.h>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/sharing/ordered_claims.hpp"
#include "weft/algorithms/detail/sharing/shares.hpp"
#include "weft/algorithms/detail/sharing/tasks.hpp"

namespace weft::algorithms::detail {

/// Elements of a block: some 2 KiB, unless single ones are larger than `largest_in_blocks`.
template <class T>
inline constexpr std::size_t block_elements = std::max<std::size_t>(2048 / sizeof(T), 8);
inline constexpr std::size_t largest_in_blocks = 2048 / 8;  // bytes

/// Moves objects from raw memory, which is raw again then, to where there are some.
template <class T, class It>
void move_out(T* from, std::size_t n, const It& to) noexcept {
  std::move(from, from + n, to);
  std::destroy_n(from, n);
}

/// The places of a bucket that its blocks leave: some in front of them and some behind.
template <class It>
struct bucket_gaps {
  It range;
  std::size_t next;  // place to be filled
  std::size_t front_end;
  std::size_t back_begin;

  /// With `n` objects from raw memory.
  template <class T>
  void fill(T* from, std::size_t n) noexcept {
    while (n != 0) {
      const std::size_t place = next_place();
      const std::size_t here = place < front_end ? std::min(n, front_end - place) : n;
      move_out(from, here, advanced(range, place));
      next += here;
      from += here;
      n -= here;
    }
  }
  /// With elements [first, last) of the range, which are left as moves leave them.
  void fill_from(std::size_t first, std::size_t last) noexcept {
    for (; first < last; ++first, ++next) {
      *advanced(range, next_place()) = std::ranges::iter_move(advanced(range, first));
    }
  }

 private:
  std::size_t next_place() noexcept {
    if (next == front_end) {
      next = back_begin;
    }
    return next;
  }
};

/// Slots of a range, as long as a block each, and what is in them.
///
/// The slots of a bucket begin at the first slot border at or behind the bucket's begin. So the
/// last block of a bucket may overlap the next bucket. If the range ends within a slot, the last
/// block of the last bucket goes to separate memory.
template <class How, class It>
class block_exchange {
 public:
  using value = std::iter_value_t<It>;
  static constexpr std::size_t block = block_elements<value>;
  static constexpr std::size_t most_groups = 16;

  block_exchange(const How& how, const It& first, std::size_t n, std::size_t num_buckets)
      : how_(how),
        first_(first),
        num_slots_(n / block),
        num_workers_(std::min(num_shares(how), num_slots_ / 16 + 1)),
        overflowing_bucket_(num_buckets),
        states_(num_slots_),
        first_slots_(num_buckets),
        next_slots_(num_buckets),
        room_((2 * num_workers_ + most_groups + 1) * block) {}

  [[nodiscard]] bool is_ready() const noexcept {
    return states_ && first_slots_ && next_slots_ && room_;
  }

  /// Slot `slot` has a block of that bucket.
  void add(std::size_t slot, std::size_t bucket) noexcept {
    std::construct_at(states_.data() + slot, static_cast<std::uint16_t>(bucket));
  }
  /// These slots have none.
  void add_empty(std::size_t first, std::size_t last) noexcept {
    for (; first < last; ++first) {
      std::construct_at(states_.data() + first, empty);
    }
  }
  void begin_bucket(std::size_t bucket, std::size_t begin) noexcept {
    const std::size_t slot = begin / block + (begin % block != 0 ? 1 : 0);
    std::construct_at(first_slots_.data() + bucket, slot);
    std::construct_at(next_slots_.data() + bucket, slot);
  }

  /// Brings all blocks to slots of their buckets.
  void exchange() {
    for_tasks(how_, num_workers_, [this](std::size_t worker) { exchange_some(worker); });
  }

  /// Gives the memory back, once all buckets are filled.
  void release() noexcept {
    states_.reset();
    room_.reset();
  }

  // Once all blocks are in place; `begins` has where each bucket begins, and the end of the last.

  [[nodiscard]] bucket_gaps<It> gaps_of(std::size_t bucket,
                                        const std::size_t* begins) const noexcept {
    const std::size_t end = begins[bucket + 1];
    const std::size_t front_end = std::min(first_slots_.data()[bucket] * block, end);
    return {first_,
            begins[bucket],
            front_end,
            std::clamp(std::min(end_of_blocks(bucket), end), front_end, end)};
  }
  /// Takes aside what buckets of `which`, a group of them, have behind its end.
  void save_behind(std::size_t group, tile which, const std::size_t* begins) noexcept {
    const std::size_t end = begins[which.last];
    saved& kept = saved_[group];
    kept = {};
    for (std::size_t bucket = which.first; bucket < which.last; ++bucket) {
      if (end_of_blocks(bucket) > end) {  // one at most
        kept = {.bucket = bucket, .size = end_of_blocks(bucket) - end};
        std::uninitialized_move_n(advanced(first_, end), kept.size, saved_by(group));
      }
    }
  }
  /// Fills gaps with what the bucket has behind its own end, in the group or saved.
  void bring_back(bucket_gaps<It>& gaps,
                  std::size_t bucket,
                  const tile& group,
                  const std::size_t* begins) noexcept {
    gaps.fill_from(begins[bucket + 1], std::min(end_of_blocks(bucket), begins[group.last]));
    saved& kept = saved_[group.index];
    if (kept.size != 0 && kept.bucket == bucket) {
      gaps.fill(saved_by(group.index), std::exchange(kept.size, 0));
    }
    if (overflowing_bucket_ == bucket) {
      gaps.fill(overflow(), block);
    }
  }

 private:
  struct saved {
    std::size_t bucket = 0;
    std::size_t size = 0;
  };
  using state = std::atomic<std::uint16_t>;  // of a slot: the bucket of its block, or one of these:
  static constexpr std::uint16_t moving = 0xfffe;  // somebody takes it out
  static constexpr std::uint16_t empty = 0xffff;

  [[nodiscard]] value* saved_by(std::size_t group) const noexcept {
    return room_.data() + (2 * num_workers_ + group) * block;
  }
  [[nodiscard]] value* overflow() const noexcept { return saved_by(most_groups); }

  /// In the range; 0: the bucket has none.
  [[nodiscard]] std::size_t end_of_blocks(std::size_t bucket) const noexcept {
    // relaxed: all was ordered by the end of the region
    const std::size_t next = next_slots_.data()[bucket].load(std::memory_order_relaxed);
    return next == first_slots_.data()[bucket] ? 0 : std::min(next, num_slots_) * block;
  }

  /// Takes one block after the other, moves it to its bucket, and continues with the block that was
  /// there.
  void exchange_some(std::size_t worker) noexcept {
    value* hand = room_.data() + 2 * worker * block;
    value* other = hand + block;
    for (;;) {
      // relaxed: whose a block is, its state tells
      const std::size_t slot = next_source_.fetch_add(1, std::memory_order_relaxed);
      if (slot >= num_slots_) {
        return;
      }
      std::uint16_t bucket = states_.data()[slot].load(std::memory_order_relaxed);
      if (bucket >= moving || !begin_to_move(slot, bucket)) {
        continue;  // somebody who brought a block there has it
      }
      take(slot, hand);
      for (; bucket != empty; std::swap(hand, other)) {
        bucket = put(hand, bucket, other);
      }
    }
  }

  /// Puts a block into the next slot of its bucket. If a block was there, moves it to `other` and
  /// returns its bucket; otherwise returns `empty`.
  [[nodiscard]] std::uint16_t put(value* hand, std::uint16_t bucket, value* other) noexcept {
    // relaxed: no other thread gets that slot to put a block there
    const std::size_t slot = next_slots_.data()[bucket].fetch_add(1, std::memory_order_relaxed);
    if (slot == num_slots_) {
      std::uninitialized_move_n(hand, block, overflow());
      std::destroy_n(hand, block);
      overflowing_bucket_ = bucket;
      return empty;
    }
    const std::uint16_t found = claim(slot);
    if (found != empty) {
      take(slot, other);
    }
    move_out(hand, block, advanced(first_, slot * block));
    return found;
  }

  /// The content of a slot, which the caller then owns: to take out, unless it is empty.
  [[nodiscard]] std::uint16_t claim(std::size_t slot) noexcept {
    for (;;) {
      // acquire: pairs with take(); the thread that moved the block no longer uses the slot
      const std::uint16_t found = states_.data()[slot].load(std::memory_order_acquire);
      if (found == empty || (found != moving && begin_to_move(slot, found))) {
        return found;
      }
      sched_yield();  // for who moves a block out of it
    }
  }

  [[nodiscard]] bool begin_to_move(std::size_t slot, std::uint16_t bucket) noexcept {
    // relaxed: blocks were made before the region; this only decides which thread owns one
    return states_.data()[slot].compare_exchange_strong(
        bucket, moving, std::memory_order_relaxed, std::memory_order_relaxed);
  }

  void take(std::size_t slot, value* to) noexcept {
    std::uninitialized_move_n(advanced(first_, slot * block), block, to);
    states_.data()[slot].store(empty, std::memory_order_release);  // pairs with claim()
  }

  const How& how_;
  It first_;
  std::size_t num_slots_;
  std::size_t num_workers_;
  std::size_t overflowing_bucket_;
  scratch<state> states_;
  scratch<std::size_t> first_slots_;
  scratch<std::atomic<std::size_t>> next_slots_;
  scratch<value> room_;  // two hands for each worker, what groups save, the overflow
  std::atomic<std::size_t> next_source_{0};
  std::array<saved, most_groups> saved_{};
};

}  // namespace weft::algorithms::detail
