// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merging of sorted ranges in pieces that are known before they are merged.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

#include "weft/algorithms/detail/kernels/vector_merge.hpp"
#include "weft/algorithms/detail/merging/merge_choice.hpp"
#include "weft/algorithms/detail/sorting/split.hpp"

namespace weft::algorithms::detail {

/// The number of elements of a among the first `rank` elements of the merge of a and b. Equal
/// elements of a come before those of b. O(log) comparisons.
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

/// How many elements of two ranges lie in front of a cut through both.
struct merge_cut {
  std::size_t a = 0;
  std::size_t b = 0;
};

/// Two sorted ranges, and where their merge goes.
template <class It1, class It2, class Out>
struct merge_lane {
  It1 a;
  std::size_t a_size;
  It2 b;
  std::size_t b_size;
  Out out;

  [[nodiscard]] std::size_t size() const { return a_size + b_size; }

  /// The cut with `rank` elements in front, looked for near one in front of it. Of ranges that are
  /// not sorted it lies behind that one, too.
  template <class Compare>
  [[nodiscard]] merge_cut cut_behind(merge_cut before, std::size_t rank, Compare& comp) const {
    const std::size_t num_between = rank - before.a - before.b;
    const std::size_t from_a = co_rank(num_between,
                                       advanced(a, before.a),
                                       a_size - before.a,
                                       advanced(b, before.b),
                                       b_size - before.b,
                                       comp);
    return {before.a + from_a, before.b + num_between - from_a};
  }

  [[nodiscard]] merge_lane between(merge_cut first, merge_cut last) const {
    return {advanced(a, first.a),
            last.a - first.a,
            advanced(b, first.b),
            last.b - first.b,
            advanced(out, first.a + first.b)};
  }

  /// The merge of [first, last) of the result alone.
  template <class Compare>
  [[nodiscard]] merge_lane piece(std::size_t first, std::size_t last, Compare& comp) const {
    if (last - first == size()) {
      return *this;
    }
    const merge_cut begin = cut_behind({}, first, comp);
    return between(begin, cut_behind(begin, last, comp));
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
  const auto* const from = takes_b ? std::addressof(y) : std::addressof(x);
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
  const merge_cut q_begin = all.cut_behind({}, n / 4, comp);  // all from the front: none waits
  const merge_cut r_begin = all.cut_behind({}, n / 2, comp);
  const merge_cut s_begin = all.cut_behind({}, n - n / 4, comp);
  Lane p = all.between({}, q_begin);
  Lane q = all.between(q_begin, r_begin);
  Lane r = all.between(r_begin, s_begin);
  Lane s = all.between(s_begin, {all.a_size, all.b_size});
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

/// Merges a whole lane without branches, numbers by vectors.
template <class Lane, class Compare>
auto merge_by_kernel(const Lane& lane, Compare& comp) {
  if constexpr (is_vector_mergeable<decltype(lane.a),
                                    decltype(lane.b),
                                    decltype(lane.out),
                                    Compare>) {
    if (merge_numbers<Lane, Compare>(lane, 0, lane.size())) {
      return advanced(lane.out, lane.size());
    }
  }
  return merge_branchless(lane, comp);
}

/// A block of a lane by the kernel whose turn it is.
template <class Lane, class Compare>
void merge_block(const Lane& block, Compare& comp, merge_choice& choice) {
  choice.run(
      block.size(),
      [&] { return merge_with_branches(block, comp); },
      [&] { return merge_by_kernel(block, comp); });
}

/// Merges [first, last) of a lane's result.
template <class Lane, class Compare>
void merge_any_piece(
    const Lane& lane, std::size_t first, std::size_t last, Compare& comp, merge_choices& choices) {
  if constexpr (is_vector_mergeable<decltype(lane.a),
                                    decltype(lane.b),
                                    decltype(lane.out),
                                    Compare>) {
    if (lane.size() >= merge_choices::too_many_from &&
        merge_numbers<Lane, Compare>(lane, first, last)) {
      return;
    }
  }
  if constexpr (merges_without_branches<decltype(lane.a), decltype(lane.b), decltype(lane.out)>) {
    if (lane.size() >= merge_choices::least) {
      for (; first != last; first += std::min(merge_choices::block, last - first)) {
        const std::size_t end = first + std::min(merge_choices::block, last - first);
        merge_block(lane.piece(first, end, comp), comp, choices.of(lane.size()));
      }
      return;
    }
  }
  merge_with_branches(lane.piece(first, last, comp), comp);
}

/// The same for keys of a kind of 4 or 8 bytes, once for all programs.
template <key_kind kind, key_order order>
void merge_key_piece(const key_lane& all,
                     std::size_t first,
                     std::size_t last,
                     merge_choices& choices);

/// As merge_any_piece.
template <class Lane, class Compare>
void merge_piece(
    const Lane& lane, std::size_t first, std::size_t last, Compare& comp, merge_choices& choices) {
  if constexpr (is_vector_mergeable<decltype(lane.a),
                                    decltype(lane.b),
                                    decltype(lane.out),
                                    Compare>) {
    if (lane.size() < merge_choices::least && last - first == lane.size()) {
      merge_with_branches(lane, comp);  // sooner done than a call
      return;
    }
    using key = std::iter_value_t<decltype(lane.a)>;
    merge_key_piece<kind_of<key>(), order_of<Compare, key>()>({std::to_address(lane.a),
                                                               lane.a_size,
                                                               std::to_address(lane.b),
                                                               lane.b_size,
                                                               std::to_address(lane.out)},
                                                              first,
                                                              last,
                                                              choices);
  } else {
    merge_any_piece(lane, first, last, comp, choices);
  }
}

}  // namespace weft::algorithms::detail
