// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The four set operations on two sorted ranges, by one worker.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>

#include "weft/algorithms/detail/number_bits.hpp"
#include "weft/algorithms/detail/set_split.hpp"
#include "weft/algorithms/detail/split.hpp"
#include "weft/algorithms/detail/tasks.hpp"
#include "weft/algorithms/detail/vector_sort.hpp"

namespace weft::algorithms::detail {

enum class set_kind : unsigned char { join, intersection, difference, symmetric_difference };

/// The standard's algorithm of that name.
template <set_kind kind, class Range1, class Range2, class Out, class Compare>
Out set_of_ranges(const Range1& a, const Range2& b, Out out, Compare& comp) {
  if constexpr (kind == set_kind::join) {
    return std::set_union(a.begin(), a.end(), b.begin(), b.end(), out, comp);
  } else if constexpr (kind == set_kind::intersection) {
    return std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out, comp);
  } else if constexpr (kind == set_kind::difference) {
    return std::set_difference(a.begin(), a.end(), b.begin(), b.end(), out, comp);
  } else {
    return std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), out, comp);
  }
}

template <set_kind kind, class It1, class It2, class Out, class Compare>
Out set_with_branches(const set_input<It1, It2>& in, Out out, Compare& comp) {
  return set_of_ranges<kind>(std::ranges::subrange(in.a, advanced(in.a, in.a_size)),
                             std::ranges::subrange(in.b, advanced(in.b, in.b_size)),
                             out,
                             comp);
}

template <class It1, class It2, class T>
struct set_lane {
  set_input<It1, It2> in;
  T* out;

  [[nodiscard]] std::size_t steps() const { return std::min(in.a_size, in.b_size); }
};

/// Looks at one element of each and takes one or both, without a branch that depends on them. May
/// write a value behind the result so far, within as much room as both ranges need.
template <set_kind kind, class Lane, class Compare>
[[gnu::always_inline]] inline void set_step(Lane& lane, Compare& comp) {
  const auto& x = *lane.in.a;
  const auto& y = *lane.in.b;
  const bool is_less = static_cast<bool>(comp(x, y));
  const bool is_greater = static_cast<bool>(comp(y, x));
  if constexpr (kind == set_kind::intersection || kind == set_kind::difference) {
    *lane.out = x;
  } else {
    *lane.out = chosen_of(is_greater, x, y);
  }
  if constexpr (kind == set_kind::join) {
    ++lane.out;
  } else if constexpr (kind == set_kind::intersection) {
    lane.out += !(is_less | is_greater);
  } else if constexpr (kind == set_kind::difference) {
    lane.out += is_less;
  } else {
    lane.out += is_less | is_greater;
  }
  lane.in.a += !is_greater;
  lane.in.b += !is_less;
}

/// Takes note of what steps took.
template <class Lane>
[[gnu::always_inline]] inline void settle(Lane& lane, const Lane& before) {
  lane.in.a_size -= static_cast<std::size_t>(lane.in.a - before.in.a);
  lane.in.b_size -= static_cast<std::size_t>(lane.in.b - before.in.b);
}

template <set_kind kind, class Lane, class Compare>
void finish_lane(Lane& lane, Compare& comp) {
  while (const std::size_t steps = lane.steps()) {
    const Lane before = lane;
    for (std::size_t i = 0; i < steps; ++i) {
      set_step<kind>(lane, comp);
    }
    settle(lane, before);
  }
  if constexpr (kind != set_kind::intersection) {
    lane.out = std::copy_n(lane.in.a, lane.in.a_size, lane.out);
  }
  if constexpr (kind == set_kind::join || kind == set_kind::symmetric_difference) {
    lane.out = std::copy_n(lane.in.b, lane.in.b_size, lane.out);
  }
}

/// Writes the result to `room`, which has space for as many values as both ranges have, and four
/// pieces at once, since each step of a piece waits for the one before it. Returns the size.
template <set_kind kind, class It1, class It2, class T, class Compare>
std::size_t set_branchless(const set_input<It1, It2>& in, T* room, Compare& comp) {
  constexpr std::size_t num_lanes = 4;
  using lane = set_lane<It1, It2, T>;
  std::array<set_cut, num_lanes + 1> cuts;
  for (std::size_t i = 0; i <= num_lanes; ++i) {
    cuts[i] = in.cut(part_begin(in.size(), num_lanes, i), comp);
  }
  const auto lane_of = [&](std::size_t i) {
    return lane{in.between(cuts[i], cuts[i + 1]), room + cuts[i].a + cuts[i].b};
  };
  lane p = lane_of(0);
  lane q = lane_of(1);
  lane r = lane_of(2);
  lane s = lane_of(3);
  const std::array<T*, num_lanes> begins{p.out, q.out, r.out, s.out};
  while (const std::size_t steps = std::min({p.steps(), q.steps(), r.steps(), s.steps()})) {
    const std::array<lane, num_lanes> before{p, q, r, s};
    for (std::size_t i = 0; i < steps; ++i) {
      set_step<kind>(p, comp);
      set_step<kind>(q, comp);
      set_step<kind>(r, comp);
      set_step<kind>(s, comp);
    }
    settle(p, before[0]);
    settle(q, before[1]);
    settle(r, before[2]);
    settle(s, before[3]);
  }
  T* end = room;
  const auto close = [&end, &comp](lane& each, T* begin) {
    finish_lane<kind>(each, comp);
    end = begin == end ? each.out : std::copy(begin, each.out, end);
  };
  close(p, begins[0]);
  close(q, begins[1]);
  close(r, begins[2]);
  close(s, begins[3]);
  return static_cast<std::size_t>(end - room);
}

/// Of numbers of which zeros, if there are some, lie between those in front and those behind.
template <class It1, class It2, class Compare>
[[nodiscard]] std::array<set_cut, 2> cuts_at_zeros(const set_input<It1, It2>& in, Compare& comp) {
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
    return set_cut{num_in_front(in.a, in.a_size, is_in_front),
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
