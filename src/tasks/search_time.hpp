// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a worker without tasks searches before it sleeps.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace weft::tasks::detail {

/// A few times what a sleep and a wake cost.
inline constexpr std::uint32_t shortest_search_us = 50;
/// As long as a program may take between two parallel loops and still find its workers awake.
inline constexpr std::uint32_t longest_search_us = 1000;

/// How long a worker searches that searched for `before_us`, and then slept for `slept` until it
/// was wanted, for a guest's task or for another one.
///
/// Guests come in rows, loop after loop: where to search a little longer would have saved a wake,
/// it searches for twice as long. Nothing is known of when other tasks come.
[[nodiscard]] constexpr std::uint32_t next_search_us(std::uint32_t before_us,
                                                     bool is_for_guest,
                                                     std::chrono::nanoseconds slept) {
  if (!is_for_guest) {
    return shortest_search_us;
  }
  return slept < std::chrono::microseconds(longest_search_us)
             ? std::min(2 * before_us, longest_search_us)
             : std::max(before_us / 2, shortest_search_us);
}

}  // namespace weft::tasks::detail
