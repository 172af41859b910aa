// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merging of sorted ranges in pieces that are known before they are merged.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

#include "weft/algorithms/detail/split.hpp"
#include "weft/algorithms/detail/vector_merge.hpp"
#include "weft/counters/ticks.hpp"

namespace weft::algorithms::detail {

/// How many of the first `rank` elements of the merge of a and b come from a; equal ones of a come
/// before those of b. O(log) comparisons.
template <class It1, class It2, class Compare>
[[nodiscard]] std::size_t co_rank(
    std::size_t rank, It1 a, std::size_t a_size, It2 b, std::size_t b_size, Compare& comp) {
  std::size_t first = rank > b_size ? rank - b_size : 0;
  std::size_t size = std::min(rank, a_size) - first;
  const auto is_in_front = [&](std::size_t i) {
    return !static_cast<bool>(comp(*advanced(b, rank - i - 1), *advanced(a, i)));
  };
  if (size == 0) {
    return first;
  }
  while (size > 1) {  // no branch depends on what is compared
    const std::size_t half = size / 2;
    first += is_in_front(first + half - 1) ? half : 0;
    size -= half;
  }
  return first + (is_in_front(first) ? 1 : 0);
}

/// Two sorted ranges, and where their merge goes.
template <class It1, class It2, class Out>
struct merge_lane {
  It1 a;
  std::size_t a_size;
  It2 b;
  std::size_t b_size;
  Out out;

  [[nodiscard]] std::size_t size() const { return a_size + b_size; }

  /// The merge of [first, last) of the result alone.
  template <class Compare>
  [[nodiscard]] merge_lane piece(std::size_t first, std::size_t last, Compare& comp) const {
    const std::size_t a_first = co_rank(first, a, a_size, b, b_size, comp);
    const std::size_t a_last = co_rank(last, a, a_size, b, b_size, comp);
    return {advanced(a, a_first),
            a_last - a_first,
            advanced(b, first - a_first),
            (last - a_last) - (first - a_first),
            advanced(out, first)};
  }
};

/// Random-access iterators of values that are copied faster than a branch is mispredicted.
template <class It1, class It2, class Out>
inline constexpr bool merges_without_branches =
    is_cheap_value<std::iter_value_t<It1>> &&
    std::is_same_v<std::iter_value_t<It1>, std::iter_value_t<It2>> &&
    std::is_lvalue_reference_v<std::iter_reference_t<It1>> &&
    std::is_lvalue_reference_v<std::iter_reference_t<It2>> && std::contiguous_iterator<Out> &&
    std::is_same_v<std::iter_reference_t<Out>, std::iter_value_t<It1>&>;

/// One element, without a branch that depends on the comparison. Both ranges have one.
template <class Lane, class Compare>
[[gnu::always_inline]] inline void merge_step(Lane& lane, Compare& comp) {
  const auto& x = *lane.a;
  const auto& y = *lane.b;
  const bool takes_b = static_cast<bool>(comp(y, x));
  const auto* const from = takes_b ? &y : &x;
  *lane.out = *from;
  ++lane.out;
  lane.a += !takes_b;
  lane.b += takes_b;
}

template <class Lane, class Compare>
void merge_lane_alone(Lane lane, Compare& comp) {
  for (;;) {
    const std::size_t steps = std::min(lane.a_size, lane.b_size);
    if (steps == 0) {
      std::copy_n(lane.b, lane.b_size, std::copy_n(lane.a, lane.a_size, lane.out));
      return;
    }
    const auto a_before = lane.a;
    for (std::size_t i = 0; i < steps; ++i) {
      merge_step(lane, comp);
    }
    const auto from_a = static_cast<std::size_t>(lane.a - a_before);
    lane.a_size -= from_a;
    lane.b_size -= steps - from_a;
  }
}

/// Merges four pieces at once, since each step of a piece waits for the one before it.
template <class Lane, class Compare>
void merge_four_lanes(const Lane& all, Compare& comp) {
  const std::size_t n = all.size();
  constexpr std::size_t num_lanes = 4;
  const std::array<std::size_t, num_lanes - 1> border{n / 4, n / 2, n - n / 4};
  std::array<std::size_t, num_lanes - 1> from_a{};
  for (std::size_t i = 0; i < num_lanes - 1; ++i) {
    from_a[i] = co_rank(border[i], all.a, all.a_size, all.b, all.b_size, comp);
  }
  const auto lane_of =
      [&all](std::size_t first, std::size_t a_first, std::size_t last, std::size_t a_last) {
        return Lane{advanced(all.a, a_first),
                    a_last - a_first,
                    advanced(all.b, first - a_first),
                    (last - a_last) - (first - a_first),
                    advanced(all.out, first)};
      };
  Lane p = lane_of(0, 0, border[0], from_a[0]);
  Lane q = lane_of(border[0], from_a[0], border[1], from_a[1]);
  Lane r = lane_of(border[1], from_a[1], border[2], from_a[2]);
  Lane s = lane_of(border[2], from_a[2], n, all.a_size);
  const auto steps_of = [](const Lane& lane) { return std::min(lane.a_size, lane.b_size); };
  for (;;) {
    const std::size_t steps = std::min({steps_of(p), steps_of(q), steps_of(r), steps_of(s)});
    if (steps == 0) {
      break;
    }
    const std::array<decltype(p.a), num_lanes> before{p.a, q.a, r.a, s.a};
    for (std::size_t i = 0; i < steps; ++i) {
      merge_step(p, comp);
      merge_step(q, comp);
      merge_step(r, comp);
      merge_step(s, comp);
    }
    const auto settle = [steps](Lane& lane, const auto& a_before) {
      const auto taken = static_cast<std::size_t>(lane.a - a_before);
      lane.a_size -= taken;
      lane.b_size -= steps - taken;
    };
    settle(p, before[0]);
    settle(q, before[1]);
    settle(r, before[2]);
    settle(s, before[3]);
  }
  merge_lane_alone(p, comp);
  merge_lane_alone(q, comp);
  merge_lane_alone(r, comp);
  merge_lane_alone(s, comp);
}

template <class Lane, class Compare>
auto merge_with_branches(const Lane& lane, Compare& comp) {
  return std::merge(
      lane.a, advanced(lane.a, lane.a_size), lane.b, advanced(lane.b, lane.b_size), lane.out, comp);
}

template <class Lane, class Compare>
auto merge_branchless(const Lane& lane, Compare& comp) {
  constexpr std::size_t four_lanes_from = 96;
  if (lane.a_size == 0 || lane.b_size == 0 || lane.size() < four_lanes_from) {
    merge_lane_alone(lane, comp);
  } else {
    merge_four_lanes(lane, comp);
  }
  return advanced(lane.out, lane.size());
}

/// Merges a whole lane by one worker, with the kernel for elements in no predictable order.
template <class Lane, class Compare>
void merge_whole(const Lane& lane, Compare& comp) {
  if constexpr (merges_without_branches<decltype(lane.a), decltype(lane.b), decltype(lane.out)>) {
    merge_branchless(lane, comp);
  } else {
    merge_with_branches(lane, comp);
  }
}

/// Which kernel merges these two ranges faster: that depends on how predictable their order is, so
/// the other one is tried now and then.
///
/// Trials grow longer, since the processor learns the branches of ranges that come again and again,
/// which takes it some rounds; and the pauses between them grow, too, since most ranges do not.
/// Threads: any, all relaxed: a wrong choice costs time and nothing else.
class merge_choice {
 public:
  static constexpr std::size_t block = 8192;
  /// Fewer elements are not worth a look at the clock.
  static constexpr std::size_t least = 1024;

  /// How the next block is to be done.
  struct turn {
    bool takes_branches = false;
    bool is_trial = false;
    bool is_last = false;  // of its trial
  };

  [[nodiscard]] turn next() {
    const unsigned now = turn_.fetch_add(1, std::memory_order_relaxed);
    const unsigned in_trial = now - trial_begin_.load(std::memory_order_relaxed);
    const unsigned length = trial_length_.load(std::memory_order_relaxed);
    const bool is_before = in_trial > most_turns / 2;  // wrapped around
    const bool is_trial = !is_before && in_trial < length;
    if (!is_before && !is_trial) {  // what was the last one was never done
      begin_trial_at(now + pauses_.load(std::memory_order_relaxed) * length);
    }
    return {.takes_branches = prefers_branches_.load(std::memory_order_relaxed) != is_trial,
            .is_trial = is_trial,
            .is_last = in_trial + 1 == length};
  }

  /// Calls the one whose turn it is for a block of `n` elements, and returns what it returns.
  template <class WithBranches, class Branchless>
  auto run(std::size_t n, WithBranches&& with_branches, Branchless&& branchless) {
    return run(next(), n, with_branches, branchless);
  }

  /// As `run` for what `next` said.
  template <class WithBranches, class Branchless>
  auto run(turn mine, std::size_t n, WithBranches&& with_branches, Branchless&& branchless) {
    const auto begin = counters::ticks_now();
    const auto result = mine.takes_branches ? with_branches() : branchless();
    note(mine, static_cast<float>(counters::ticks_now() - begin) / static_cast<float>(n));
    return result;
  }

 private:
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

/// Numbers of which a kernel merges [first, last) by vectors. False: it was not done.
template <class Lane, class Compare>
[[nodiscard]] bool merge_numbers(const Lane& lane, std::size_t first, std::size_t last) {
  using key = std::iter_value_t<decltype(lane.a)>;
  return vector_merge({std::to_address(lane.a),
                       lane.a_size,
                       std::to_address(lane.b),
                       lane.b_size,
                       std::to_address(lane.out)},
                      first,
                      last,
                      kind_of<key>(),
                      order_of<Compare, key>());
}

/// A block of a lane by the kernel whose turn it is.
template <class Lane, class Compare>
void merge_block(const Lane& block, Compare& comp, merge_choice& choice) {
  choice.run(
      block.size(),
      [&] { return merge_with_branches(block, comp); },
      [&] {
        if constexpr (is_vector_mergeable<decltype(block.a),
                                          decltype(block.b),
                                          decltype(block.out),
                                          Compare>) {
          if (merge_numbers<Lane, Compare>(block, 0, block.size())) {
            return advanced(block.out, block.size());
          }
        }
        return merge_branchless(block, comp);
      });
}

/// Merges [first, last) of a lane's result.
template <class Lane, class Compare>
void merge_piece(
    const Lane& lane, std::size_t first, std::size_t last, Compare& comp, merge_choice& choice) {
  if constexpr (is_vector_mergeable<decltype(lane.a),
                                    decltype(lane.b),
                                    decltype(lane.out),
                                    Compare>) {
    // No processor knows the branches of more by heart.
    constexpr std::size_t vectors_from = std::size_t{1} << 16U;
    if (lane.size() >= vectors_from && merge_numbers<Lane, Compare>(lane, first, last)) {
      return;
    }
  }
  if constexpr (merges_without_branches<decltype(lane.a), decltype(lane.b), decltype(lane.out)>) {
    if (lane.size() >= merge_choice::least) {
      for (; first != last; first += std::min(merge_choice::block, last - first)) {
        const std::size_t end = first + std::min(merge_choice::block, last - first);
        merge_block(lane.piece(first, end, comp), comp, choice);
      }
      return;
    }
  }
  if (last - first == lane.size()) {
    merge_with_branches(lane, comp);
  } else {
    merge_with_branches(lane.piece(first, last, comp), comp);
  }
}

}  // namespace weft::algorithms::detail
