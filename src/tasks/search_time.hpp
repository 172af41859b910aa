// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a worker without tasks searches before it sleeps, and leaves others alone before it
// searches.
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

/// How long a worker leaves the others alone, whose last find kept it busy for `ran`, and which
/// left them alone for `before` last time.
///
/// A task that goes to another worker costs the two of them 300 to 400 ns: where tasks are shorter,
/// whoever makes them is faster alone.
[[nodiscard]] constexpr std::chrono::nanoseconds next_back_off(std::chrono::nanoseconds before,
                                                               std::chrono::nanoseconds ran) {
  using namespace std::chrono_literals;
  return ran >= 450ns ? 0ns : std::clamp<std::chrono::nanoseconds>(2 * before, 500ns, 16us);
}

}  // namespace weft::tasks::detail
