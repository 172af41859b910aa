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
/// was wanted, for work that need not run or for another task.
///
/// Offers of work come in rows, loop after loop: where to search a little longer would have saved a wake,
/// it searches for twice as long. Nothing is known of when other tasks come.
[[nodiscard]] constexpr std::uint32_t next_search_us(std::uint32_t before_us,
                                                     bool is_for_optional,
                                                     std::chrono::nanoseconds slept) {
  if (!is_for_optional) {
    return shortest_search_us;
  }
  return slept < std::chrono::microseconds(longest_search_us)
             ? std::min(2 * before_us, longest_search_us)
             : std::max(before_us / 2, shortest_search_us);
}

/// When what happened to a worker that searches now.
struct steal_times {
  using time_point = std::chrono::steady_clock::time_point;
  time_point found_at;                  // its last find
  time_point stolen_from_at;                 // the last task that a thief found here
  time_point joined_at = time_point();  // since it waits at a join for such a task; else not set
};

/// For how long two worked beside each other because of the last theft.
///
/// The thief does, until it has done what it found. The one robbed does until it comes to the join:
/// without the theft it would then have gone on with the task itself.
[[nodiscard]] constexpr std::chrono::nanoseconds gained_by(const steal_times& times,
                                                           steal_times::time_point now) {
  const bool waits_at_join = times.joined_at > times.found_at;
  return waits_at_join ? times.joined_at - std::max(times.found_at, times.stolen_from_at)
                       : now - times.found_at;
}

/// How long a worker leaves the others alone after a theft that gained so much, and after it left
/// them alone for `before` last time.
///
/// A task that goes to another worker costs the two of them 300 to 400 ns: where tasks are shorter,
/// whoever makes them is faster alone.
[[nodiscard]] constexpr std::chrono::nanoseconds next_back_off(std::chrono::nanoseconds before,
                                                               std::chrono::nanoseconds gained) {
  using namespace std::chrono_literals;
  return gained >= 450ns ? 0ns : std::clamp<std::chrono::nanoseconds>(2 * before, 500ns, 16us);
}

}  // namespace weft::tasks::detail
