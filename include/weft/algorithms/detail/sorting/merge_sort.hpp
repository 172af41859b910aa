// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stable sorting of small trivial values by merges that do not branch, by one worker or by all.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>

#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/merging/merge_choice.hpp"
#include "weft/algorithms/detail/merging/merge_path.hpp"
#include "weft/algorithms/detail/sharing/tasks.hpp"
#include "weft/algorithms/detail/sorting/small_sort.hpp"

namespace weft::algorithms::detail {

/// Sorts `n` values of `data` stably, using `n` of `room`; the result is where `to_room` says.
template <class T, class Compare>
void merge_sort_alone(T* data, T* room, std::size_t n, Compare& comp, bool to_room) {
  constexpr std::size_t small = 8;
  if (n <= small) {
    rank_sort(data, n, room, comp);
    if (!to_room) {
      std::copy_n(room, n, data);
    }
    return;
  }
  const std::size_t half = n / 2;
  merge_sort_alone(data, room, half, comp, !to_room);
  merge_sort_alone(data + half, room + half, n - half, comp, !to_room);
  const T* const from = to_room ? data : room;
  T* const to = to_room ? room : data;
  constexpr std::size_t four_lanes_from = 256;
  if (n < four_lanes_from) {
    merge_halves(from, n, to, comp);
  } else {
    merge_whole(merge_lane<const T*, const T*, T*>{from, half, from + half, n - half, to}, comp);
  }
}

/// All pairs of neighbouring runs of one level of a parallel merge sort.
template <class T>
struct merge_level {
  const T* from;
  T* to;
  std::size_t n;
  std::size_t num_leaves;      // parts that were sorted first
  std::size_t leaves_per_run;  // of `from`

  [[nodiscard]] std::size_t border(std::size_t leaf) const {
    return part_begin(n, num_leaves, leaf);
  }

  /// What lies in [first, last) of `to`, which may be parts of several pairs.
  template <class Compare>
  void merge(std::size_t first, std::size_t last, Compare& comp, merge_choices& choices) const {
    for (std::size_t leaf = 0; leaf < num_leaves; leaf += 2 * leaves_per_run) {
      const std::size_t begin = border(leaf);
      const std::size_t middle = border(leaf + leaves_per_run);
      const std::size_t end = border(leaf + 2 * leaves_per_run);
      if (begin < last && first < end) {
        const merge_lane<const T*, const T*, T*> lane{
            from + begin, middle - begin, from + middle, end - middle, to + begin};
        merge_piece(
            lane, std::max(first, begin) - begin, std::min(last, end) - begin, comp, choices);
      }
    }
  }
};

/// Sorts trivial values stably. False: memory was short and nothing has changed.
template <class How, class T, class Compare>
[[nodiscard]] bool merge_sort(const How& how, std::span<T> data, Compare& comp) {
  const std::size_t n = data.size();
  const scratch<T> room(n);
  if (!room) {
    return false;
  }
  constexpr std::size_t smallest_run = 1U << 12U;
  const std::size_t shares = num_shares(how);
  const std::size_t num_leaves =
      shares == 1 ? 1 : std::bit_floor(std::clamp<std::size_t>(n / smallest_run, 1, 4 * shares));
  // Levels change sides; the last one ends in `data`.
  const bool to_room = std::countr_zero(num_leaves) % 2 != 0;
  for_tasks(how, num_leaves, [&](std::size_t i) {
    const std::size_t first = part_begin(n, num_leaves, i);
    const std::size_t size = part_begin(n, num_leaves, i + 1) - first;
    merge_sort_alone(data.data() + first, room.data() + first, size, comp, to_room);
  });
  T* from = to_room ? room.data() : data.data();
  T* to = to_room ? data.data() : room.data();
  const std::size_t num_pieces = std::clamp<std::size_t>(n / smallest_run, 1, 8 * shares);
  for (std::size_t leaves = 1; leaves < num_leaves; leaves *= 2) {
    merge_choices choices;
    const merge_level<T> level{from, to, n, num_leaves, leaves};
    for_tasks(how, num_pieces, [&](std::size_t i) {
      level.merge(part_begin(n, num_pieces, i), part_begin(n, num_pieces, i + 1), comp, choices);
    });
    std::swap(from, to);
  }
  return true;
}

}  // namespace weft::algorithms::detail
