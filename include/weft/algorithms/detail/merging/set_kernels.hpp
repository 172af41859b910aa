// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The four set operations on two sorted ranges, by one worker.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>

#include "weft/algorithms/detail/kernels/number_bits.hpp"
#include "weft/algorithms/detail/kernels/vector_sort.hpp"
#include "weft/algorithms/detail/merging/set_split.hpp"
#include "weft/algorithms/detail/sharing/tasks.hpp"
#include "weft/algorithms/detail/sorting/split.hpp"

namespace weft::algorithms::detail {

enum class set_kind : unsigned char { join, intersection, difference, symmetric_difference };

/// The standard's algorithm of that name.
template <set_kind kind, class It1, class It2, class Out, class Compare>
Out set_of_ranges(It1 first1, It1 last1, It2 first2, It2 last2, Out out, Compare& comp) {
  if constexpr (kind == set_kind::join) {
    return std::set_union(first1, last1, first2, last2, out, comp);
  } else if constexpr (kind == set_kind::intersection) {
    return std::set_intersection(first1, last1, first2, last2, out, comp);
  } else if constexpr (kind == set_kind::difference) {
    return std::set_difference(first1, last1, first2, last2, out, comp);
  } else {
    return std::set_symmetric_difference(first1, last1, first2, last2, out, comp);
  }
}

template <set_kind kind, class It1, class It2, class Out, class Compare>
Out set_with_branches(const set_input<It1, It2>& in, Out out, Compare& comp) {
  return set_of_ranges<kind>(
      in.a, advanced(in.a, in.a_size), in.b, advanced(in.b, in.b_size), out, comp);
}

/// A part of both ranges for a step-by-step set operation, and the place of its result in the
/// buffer.
struct set_lane {
  merge_cut next;
  merge_cut last;
  std::size_t shift;  // of the place of a step's element

  /// So many steps can be made whichever range they take from.
  [[nodiscard]] std::size_t num_steps() const { return std::min(last.a - next.a, last.b - next.b); }
};

/// The number of elements written before this step, plus a constant of the lane, modulo 2^64. It
/// follows from the number of steps and of elements taken, so no counter is needed.
template <set_kind kind>
[[nodiscard]] constexpr std::size_t num_written(std::size_t num_steps, merge_cut taken) {
  if constexpr (kind == set_kind::join) {
    return num_steps;
  } else if constexpr (kind == set_kind::intersection) {
    return taken.a + taken.b - num_steps;  // each step takes one, and two if they are equal
  } else if constexpr (kind == set_kind::difference) {
    return num_steps - taken.b;  // steps that took none of b
  } else {
    return 2 * num_steps - taken.a - taken.b;
  }
}

/// Looks at one element of each and takes one or both, without a branch that depends on them. May
/// write a value behind the result so far, within as much room as both ranges need.
template <set_kind kind, class It1, class It2, class T, class Compare>
[[gnu::always_inline]] inline void set_step(
    It1 a, It2 b, T* room, std::size_t num_steps, set_lane& lane, Compare& comp) {
  const auto& x = *advanced(a, lane.next.a);
  const auto& y = *advanced(b, lane.next.b);
  T& to = room[lane.shift + num_written<kind>(num_steps, lane.next)];
  const bool is_less = static_cast<bool>(comp(x, y));
  const bool is_greater = static_cast<bool>(comp(y, x));
  if constexpr (kind == set_kind::intersection || kind == set_kind::difference) {
    assign_bits(to, x);
  } else {
    to = chosen_of(is_greater, x, y);
  }
  lane.next.a += static_cast<std::size_t>(!is_greater);
  lane.next.b += static_cast<std::size_t>(!is_less);
}

/// Ends a lane behind its first steps; returns the end of its result.
template <set_kind kind, class It1, class It2, class T, class Compare>
T* finish_lane(It1 a, It2 b, T* room, std::size_t num_steps, set_lane lane, Compare& comp) {
  while (const std::size_t more = lane.num_steps()) {
    for (const std::size_t end = num_steps + more; num_steps != end; ++num_steps) {
      set_step<kind>(a, b, room, num_steps, lane, comp);
    }
  }
  T* out = room + (lane.shift + num_written<kind>(num_steps, lane.next));
  if constexpr (kind != set_kind::intersection) {
    out = std::copy_n(advanced(a, lane.next.a), lane.last.a - lane.next.a, out);
  }
  if constexpr (kind == set_kind::join || kind == set_kind::symmetric_difference) {
    out = std::copy_n(advanced(b, lane.next.b), lane.last.b - lane.next.b, out);
  }
  return out;
}

/// Writes the result to `room`, which has space for as many values as both ranges have. It
/// processes three pieces at once, because each step of a piece waits for the one before it.
/// Returns the size.
template <set_kind kind, class It1, class It2, class T, class Compare>
std::size_t set_branchless(const set_input<It1, It2>& in, T* room, Compare& comp) {
  constexpr std::size_t num_lanes = 3;  // more do not fit into the registers
  std::array<merge_cut, num_lanes + 1> cuts;
  for (std::size_t i = 0; i <= num_lanes; ++i) {
    cuts[i] = in.cut(part_begin(in.size(), num_lanes, i), comp);
  }
  const auto lane_of = [&](std::size_t i) {
    const std::size_t begin = cuts[i].a + cuts[i].b;
    return set_lane{cuts[i], cuts[i + 1], begin - num_written<kind>(0, cuts[i])};
  };
  set_lane p = lane_of(0);
  set_lane q = lane_of(1);
  set_lane r = lane_of(2);
  const It1 a = in.a;
  const It2 b = in.b;
  std::size_t done = 0;
  while (const std::size_t steps = std::min({p.num_steps(), q.num_steps(), r.num_steps()})) {
    for (const std::size_t end = done + steps; done != end; ++done) {
      set_step<kind>(a, b, room, done, p, comp);
      set_step<kind>(a, b, room, done, q, comp);
      set_step<kind>(a, b, room, done, r, comp);
    }
  }
  T* end = finish_lane<kind>(a, b, room, done, p, comp);
  const auto close = [&](const set_lane& lane, merge_cut first) {
    T* const begin = room + (first.a + first.b);
    T* const lane_end = finish_lane<kind>(a, b, room, done, lane, comp);
    end = begin == end ? lane_end : std::copy(begin, lane_end, end);
  };
  close(q, cuts[1]);
  close(r, cuts[2]);
  return static_cast<std::size_t>(end - room);
}

/// Of numbers of which zeros, if there are some, lie between those in front and those behind.
template <class It1, class It2, class Compare>
[[nodiscard]] std::array<merge_cut, 2> cuts_at_zeros(const set_input<It1, It2>& in, Compare& comp) {
  using value = std::iter_value_t<It1>;
  const auto num_in_front = [](const auto& first, std::size_t n, const auto& is_in_front) {
    if (n == 0 || !is_in_front(*first)) {
      return std::size_t{0};
    }
    const auto last = advanced(first, n);
    return is_in_front(*std::prev(last))
               ? n
               : static_cast<std::size_t>(std::partition_point(first, last, is_in_front) - first);
  };
  const auto cut_by = [&](const auto& is_in_front) {
    return merge_cut{num_in_front(in.a, in.a_size, is_in_front),
                     num_in_front(in.b, in.b_size, is_in_front)};
  };
  return {cut_by([&comp](const value& x) { return comp(x, value{0}); }),
          cut_by([&comp](const value& x) { return !comp(value{0}, x); })};
}

/// A set operation by one worker without branches where there is enough to do. Room and result as
/// above.
///
/// Whichever way floating-point numbers are sorted, their distance from zero falls in front of the
/// zeros and rises behind them. Zeros themselves may differ in their signs.
template <set_kind kind, class It1, class It2, class T, class Compare>
std::size_t set_without_branches(const set_input<It1, It2>& in, T* room, Compare& comp) {
  const auto part = [&comp](const set_input<It1, It2>& of, T* out, auto by) {
    constexpr std::size_t lanes_from = 64;
    return of.size() < lanes_from ? set_with_branches<kind>(of, out, comp)
                                  : out + set_branchless<kind>(of, out, by);
  };
  if constexpr (std::is_floating_point_v<T> && kind_of<T>() != key_kind::none &&
                order_of<Compare, T>() != key_order::none) {
    const auto [zeros, behind] = cuts_at_zeros(in, comp);
    T* end = part(in.between({}, zeros), room, compare_bits<std::greater<>>());
    end = set_with_branches<kind>(in.between(zeros, behind), end, comp);
    end = part(in.between(behind, {in.a_size, in.b_size}), end, compare_bits<std::less<>>());
    return static_cast<std::size_t>(end - room);
  } else {
    return static_cast<std::size_t>(part(in, room, std::ref(comp)) - room);
  }
}

}  // namespace weft::algorithms::detail
