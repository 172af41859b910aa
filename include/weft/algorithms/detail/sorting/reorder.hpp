// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that are put in an order that was found without moving them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/sharing/tasks.hpp"
#include "weft/algorithms/detail/sorting/split.hpp"

namespace weft::algorithms::detail {

/// Writes 0, 1, 2, ... to raw memory.
template <class How>
void number_elements(const How& how, std::span<std::size_t> order) {
  const std::size_t num_parts = std::clamp<std::size_t>(order.size() >> 14U, 1, 64);
  for_tasks(how, num_parts, [&](std::size_t part) {
    const std::size_t last = part_begin(order.size(), num_parts, part + 1);
    for (std::size_t i = part_begin(order.size(), num_parts, part); i < last; ++i) {
      std::construct_at(order.data() + i, i);
    }
  });
}

/// Puts element `order[i]` at place i, with memory for one element. `order` becomes 0, 1, 2, ...
template <class It>
void reorder_in_place(const It& first, std::span<std::size_t> order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] == i) {
      continue;
    }
    std::iter_value_t<It> kept = std::ranges::iter_move(advanced(first, i));
    std::size_t hole = i;
    while (order[hole] != i) {
      const std::size_t next = std::exchange(order[hole], hole);
      *advanced(first, hole) = std::ranges::iter_move(advanced(first, next));
      hole = next;
    }
    order[hole] = hole;
    *advanced(first, hole) = std::move(kept);
  }
}

/// Puts element `order[i]` at place i, by all workers where there is memory for all elements.
template <class How, class It>
void reorder(const How& how, It first, std::span<std::size_t> order) {
  using value = std::iter_value_t<It>;
  if constexpr (indexable_output<It> && std::is_nothrow_move_constructible_v<value> &&
                std::is_nothrow_move_assignable_v<value>) {
    const std::size_t n = order.size();
    const scratch<value> room(n);
    if (room) {
      const std::size_t num_parts = std::clamp<std::size_t>(n >> 12U, 1, 8 * num_shares(how));
      for_tasks(how, num_parts, [&](std::size_t part) {
        const std::size_t last = part_begin(n, num_parts, part + 1);
        for (std::size_t i = part_begin(n, num_parts, part); i < last; ++i) {
          std::construct_at(room.data() + i, std::ranges::iter_move(advanced(first, order[i])));
        }
      });
      for_tasks(how, num_parts, [&](std::size_t part) {
        const std::size_t last = part_begin(n, num_parts, part + 1);
        for (std::size_t i = part_begin(n, num_parts, part); i < last; ++i) {
          *advanced(first, i) = std::move(room.data()[i]);
          std::destroy_at(room.data() + i);
        }
      });
      return;
    }
  }
  reorder_in_place(first, order);
}

/// Compares elements by their numbers.
template <class It, class Compare>
struct compare_at {
  It first;
  Compare* comp;

  bool operator()(std::size_t a, std::size_t b) const {
    return static_cast<bool>((*comp)(*advanced(first, a), *advanced(first, b)));
  }
};

}  // namespace weft::algorithms::detail
