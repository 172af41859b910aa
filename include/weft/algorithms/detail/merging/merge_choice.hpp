// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether two sorted ranges are merged with branches or without: by what both took lately.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "weft/counters/ticks.hpp"

namespace weft::algorithms::detail {

/// Which kernel merges these two ranges faster: that depends on how predictable their order is, so
/// the other one is tried now and then.
///
/// Trials grow longer, because the processor needs some rounds to learn the branches of ranges that
/// repeat. The pauses between trials grow, too, because most ranges do not repeat.
/// Threads: any, all relaxed: a wrong choice costs time and nothing else.
class merge_choice {
 public:
  /// How the next block is to be done.
  struct turn {
    bool takes_branches = false;
    bool is_trial = false;
    bool is_last = false;  // of its trial
    bool is_timed = false;
  };

  /// For a block of `n` elements.
  [[nodiscard]] turn next(std::size_t n) {
    const unsigned now = turn_.load(std::memory_order_relaxed);
    turn_.store(now + 1, std::memory_order_relaxed);  // two threads may have the same one
    const unsigned in_trial = now - trial_begin_.load(std::memory_order_relaxed);
    const unsigned length = trial_length_.load(std::memory_order_relaxed);
    const bool is_before = in_trial > most_turns / 2;  // wrapped around
    const bool is_trial = !is_before && in_trial < length;
    if (!is_before && !is_trial) {  // what was the last one was never done
      begin_trial_at(now + pauses_.load(std::memory_order_relaxed) * length);
    }
    return {.takes_branches = prefers_branches_.load(std::memory_order_relaxed) != is_trial,
            .is_trial = is_trial,
            .is_last = in_trial + 1 == length,
            .is_timed = is_trial || n >= always_timed_from || now % rarely_timed == 0};
  }

  /// Calls the one whose turn it is for a block of `n` elements, and returns what it returns.
  template <class WithBranches, class Branchless>
  auto run(std::size_t n, WithBranches&& with_branches, Branchless&& branchless) {
    return run(next(n), n, with_branches, branchless);
  }

  /// As `run` for what `next` said.
  template <class WithBranches, class Branchless>
  auto run(turn mine, std::size_t n, WithBranches&& with_branches, Branchless&& branchless) {
    const std::uint64_t begin = mine.is_timed ? counters::ticks_now() : 0;
    const auto result = mine.takes_branches ? with_branches() : branchless();
    if (mine.is_timed) {
      note(mine, static_cast<float>(counters::ticks_now() - begin) / static_cast<float>(n));
    }
    return result;
  }

 private:
  static constexpr std::size_t always_timed_from = 1024;  // for less, the clock takes its time
  static constexpr unsigned rarely_timed = 8;
  static constexpr unsigned most_turns = ~0U;
  static constexpr unsigned shortest_trial = 2;
  static constexpr unsigned longest_trial = 256;
  static constexpr unsigned fewest_pauses = 64;  // turns for each of a trial
  static constexpr unsigned most_pauses = 4096;

  /// Ticks per element of a block.
  void note(turn mine, float ticks) {
    const float preferred = preferred_ticks_.load(std::memory_order_relaxed);
    if (!mine.is_trial) {
      note_preferred(ticks, preferred);
    } else if (ticks < preferred) {
      prefers_branches_.store(mine.takes_branches, std::memory_order_relaxed);
      preferred_ticks_.store(ticks, std::memory_order_relaxed);
      begin_trials_after(fewest_pauses);
    } else if (mine.is_last) {
      const unsigned length = trial_length_.load(std::memory_order_relaxed);
      unsigned pauses = pauses_.load(std::memory_order_relaxed);
      if (length == longest_trial) {
        pauses = std::min(2 * pauses, most_pauses);
        pauses_.store(pauses, std::memory_order_relaxed);
      }
      const unsigned longer = std::min(2 * length, longest_trial);
      trial_length_.store(longer, std::memory_order_relaxed);
      begin_trial_at(turn_.load(std::memory_order_relaxed) + pauses * longer);
    }
  }
  /// Several that are much slower are other data; one may be an interrupt.
  void note_preferred(float ticks, float preferred) {
    constexpr float much_slower = 1.5F;
    constexpr unsigned several = 4;
    if (preferred != 0 && ticks > much_slower * preferred) {
      if (num_slow_.fetch_add(1, std::memory_order_relaxed) + 1 < several) {
        return;
      }
      begin_trials_after(0);
    }
    num_slow_.store(0, std::memory_order_relaxed);
    preferred_ticks_.store(ticks, std::memory_order_relaxed);
  }
  /// With short trials anew.
  void begin_trials_after(unsigned pause) {
    trial_length_.store(shortest_trial, std::memory_order_relaxed);
    pauses_.store(fewest_pauses, std::memory_order_relaxed);
    begin_trial_at(turn_.load(std::memory_order_relaxed) + pause);
  }
  void begin_trial_at(unsigned number) { trial_begin_.store(number, std::memory_order_relaxed); }

  std::atomic<unsigned> turn_{0};
  std::atomic<unsigned> trial_begin_{1};
  std::atomic<unsigned> trial_length_{shortest_trial};
  std::atomic<unsigned> pauses_{fewest_pauses};
  std::atomic<unsigned> num_slow_{0};
  std::atomic<bool> prefers_branches_{false};
  std::atomic<float> preferred_ticks_{0};  // of the last block; 0: none yet
};

/// The choices for ranges of about the same size, whose elements take a kernel about as long: those
/// of shorter ones take it longer.
class merge_choices {
 public:
  /// Fewer elements are soon merged with branches.
  static constexpr std::size_t least = 64;
  static constexpr std::size_t block = 8192;
  /// With this many elements no processor memorises the branches.
  static constexpr std::size_t too_many_from = std::size_t{1} << 16U;

  /// That for two ranges of `n` elements in all.
  [[nodiscard]] merge_choice& of(std::size_t n) {
    constexpr std::size_t first_width = std::bit_width(least);
    const std::size_t width = std::max<std::size_t>(std::bit_width(n), first_width);
    return by_size_[std::min((width - first_width) / 2, by_size_.size() - 1)];
  }

 private:
  std::array<merge_choice, 4> by_size_;  // to 255, 1023 and 4095 elements, and more
};

}  // namespace weft::algorithms::detail
