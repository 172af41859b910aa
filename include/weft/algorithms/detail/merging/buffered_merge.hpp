// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stable sorts and merges in place by one worker, with as much memory as there is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/memory/scratch.hpp"

namespace weft::algorithms::detail {

/// Elements that were moved out of a range, and where the rest of them goes back to at the end.
template <class It>
class moved_out {
 public:
  using value = std::iter_value_t<It>;

  moved_out(It first, const It& last, value* room)
      : room_(room), next_(room), end_(room), hole_(first) {
    try {
      for (; first != last; ++first) {
        std::construct_at(end_, std::ranges::iter_move(first));
        ++end_;
      }
    } catch (...) {
      std::destroy(room_, end_);
      throw;
    }
  }
  moved_out(const moved_out&) = delete;
  moved_out& operator=(const moved_out&) = delete;
  moved_out(moved_out&&) = delete;
  moved_out& operator=(moved_out&&) = delete;
  /// Fills the hole; also after a comparison threw, so that no element is lost.
  ~moved_out() {
    try {
      std::move(next_, end_, hole_);
    } catch (...) {  // NOLINT(bugprone-empty-catch): the move before it is what the caller hears of
    }
    std::destroy(room_, end_);
  }

  [[nodiscard]] bool is_empty() const noexcept { return next_ == end_; }
  [[nodiscard]] const value& front() const noexcept { return *next_; }
  void put_front() {
    *hole_ = std::move(*next_);
    ++next_;
    ++hole_;
  }
  void put(const It& from) {
    *hole_ = std::ranges::iter_move(from);
    ++hole_;
  }

 private:
  value* room_;
  value* next_;
  value* end_;
  It hole_;  // as wide as what is left in the room
};

/// Merges [first, middle) and [middle, last) where the room takes the first of them.
template <class It, class Compare>
void merge_through_room(
    const It& first, It middle, const It& last, std::iter_value_t<It>* room, Compare& comp) {
  moved_out<It> left(first, middle, room);
  while (middle != last && !left.is_empty()) {
    if (comp(*middle, left.front())) {
      left.put(middle);
      ++middle;
    } else {
      left.put_front();
    }
  }
}

/// Merges two ranges side by side, of these sizes; in place, by rotations, as far as the room is
/// too small.
template <class It, class Compare>
void merge_side_by_side(It first,
                        It middle,
                        const It& last,
                        const scratch<std::iter_value_t<It>>& room,
                        Compare& comp) {
  for (;;) {
    const auto left = std::distance(first, middle);
    const auto right = std::distance(middle, last);
    if (left == 0 || right == 0) {
      return;
    }
    if (room && static_cast<std::size_t>(left) <= room.size()) {
      merge_through_room(first, middle, last, room.data(), comp);
      return;
    }
    if (left + right == 2) {
      if (comp(*middle, *first)) {
        std::ranges::iter_swap(first, middle);
      }
      return;
    }
    It left_cut = first;
    It right_cut = middle;
    if (left > right) {
      std::advance(left_cut, left / 2);
      right_cut = std::lower_bound(middle, last, *left_cut, comp);
    } else {
      std::advance(right_cut, right / 2);
      left_cut = std::upper_bound(first, middle, *right_cut, comp);
    }
    It const border = std::rotate(left_cut, middle, right_cut);
    merge_side_by_side(first, left_cut, border, room, comp);
    first = border;
    middle = right_cut;
  }
}

/// Inserts each element behind those that do not come after it.
template <class It, class Compare>
void insertion_sort(const It& first, const It& last, Compare& comp) {
  for (It it = first; it != last; ++it) {
    It const place = std::upper_bound(first, it, *it, comp);
    if (place != it) {
      auto moved = std::ranges::iter_move(it);
      std::move_backward(place, it, std::next(it));
      *place = std::move(moved);
    }
  }
}

/// Sorts stably, in place as far as the room is too small.
template <class It, class Compare>
void stable_sort_alone(const It& first,
                       std::size_t n,
                       const scratch<std::iter_value_t<It>>& room,
                       Compare& comp) {
  constexpr std::size_t small = 12;
  const auto size = static_cast<std::iter_difference_t<It>>(n);
  if (n <= small) {
    insertion_sort(first, first + size, comp);
    return;
  }
  It const middle = first + size / 2;
  stable_sort_alone(first, n / 2, room, comp);
  stable_sort_alone(middle, n - n / 2, room, comp);
  if (comp(*middle, *std::prev(middle))) {
    merge_side_by_side(first, middle, first + size, room, comp);
  }
}

}  // namespace weft::algorithms::detail
